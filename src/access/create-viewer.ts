import type { AccessConfig } from '../config/types.ts';
import { entriesNaming } from './approvers.ts';
import { type Right, rightsOfRole, rightsOfScopes, roleOfScopes } from './rights.ts';
import { EVERY_TEAM } from './teams.ts';
import type { ActiveToken } from './tokens.ts';
import { type Identity, UNNAMED, type Viewer } from './viewer.ts';
import type { Visibility } from './visibility.ts';

/** A user whom others name. */
export function viewerOfUser(
  identity: Identity,
  how: Pick<Viewer, 'via' | 'role' | 'teams' | 'address'> & { until?: Date },
  access: AccessConfig,
): Viewer {
  const { until = null } = how;
  const approves = entriesNaming(identity, access);
  return { ...identity, ...how, rights: rightsOfRole(how.role), approves, tokenId: null, until };
}

/** A program that shows a token. It is no user of the same name. */
export function viewerOfToken(token: ActiveToken, access: AccessConfig, address: string | null): Viewer {
  const rights = rightsOfScopes(token.scopes);
  const identity = { ...UNNAMED, name: `token:${token.name}` };
  return {
    ...identity,
    via: 'TOKEN',
    role: roleOfScopes(token.scopes),
    rights,
    teams: sightOfToken(token.team, rights, access),
    approves: entriesNaming(identity, access),
    address,
    tokenId: token.id,
    until: token.expiresAt,
  };
}

/** A token stays bound to its team whatever becomes of the configuration. */
function sightOfToken(team: string | null, rights: ReadonlySet<Right>, { teams }: AccessConfig): Visibility {
  if (team !== null) return team === EVERY_TEAM ? null : [team];
  return teams === null || rights.has('ADMIN') ? null : [];
}
