import type { AccessConfig } from '../config/types.ts';
import type { IncomingAlert } from './delivery.ts';
import { keyOf } from './keys.ts';
import type { Ruling } from './rules.ts';

/** A key among those of a team: no other team's sender, and nobody without one, can mean the same. */
export function keyOfTeam(team: string | null, key: string): string {
  return team === null ? key : keyOf(team, key);
}

/** An alert and its ruling with the team that they are of. */
export type Whose = (
  alert: IncomingAlert,
  ruling: Ruling,
  sender: string | null,
) => { alert: IncomingAlert; ruling: Ruling };

/**
 * Alerts of different teams are never in one group, where teams are: it would show those of one to the other. The team
 * of a token comes before all rules, and what is sent with it is never an alert of somebody else's.
 */
export function createWhose({ teams }: AccessConfig): Whose {
  return (alert, ruling, sender) => {
    const team = sender ?? ruling.team;
    const apart = teams === null ? sender : team;
    return {
      alert: { ...alert, fingerprint: keyOfTeam(sender, alert.fingerprint) },
      ruling: { ...ruling, team, groupKey: keyOfTeam(apart, ruling.groupKey) },
    };
  };
}
