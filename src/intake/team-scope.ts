import type { AccessConfig } from '../config/types.ts';
import type { IncomingAlert } from './delivery.ts';
import { keyOf } from './keys.ts';
import type { Ruling } from './rules.ts';

/** Scopes a key to a team, so that no other team's sender can refer to it. */
export function teamKey(team: string | null, key: string): string {
  return team === null ? key : keyOf(team, key);
}

/** Assigns an alert and its ruling to their team. */
export type ScopeToTeam = (
  alert: IncomingAlert,
  ruling: Ruling,
  sender: string | null,
) => { alert: IncomingAlert; ruling: Ruling };

/**
 * Keeps alerts of different teams out of one group, because it would show one team's alerts to the other. A token's team
 * takes precedence over rules, and its alerts never match those of other senders.
 */
export function createTeamScope({ teams }: AccessConfig): ScopeToTeam {
  return (alert, ruling, sender) => {
    const team = sender ?? ruling.team;
    const apart = teams === null ? sender : team;
    return {
      alert: { ...alert, fingerprint: teamKey(sender, alert.fingerprint) },
      ruling: { ...ruling, team, groupKey: teamKey(apart, ruling.groupKey) },
    };
  };
}
