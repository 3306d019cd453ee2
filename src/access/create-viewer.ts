import { nameOfToken } from '../common/token-name.ts';
import type { AccessConfig } from '../config/types.ts';
import { entriesNaming, entriesNamingToken } from './approvers.ts';
import { type Right, rightsOfRole, rightsOfScopes, roleOfScopes } from './rights.ts';
import { EVERY_TEAM } from './teams.ts';
import type { ActiveToken } from './tokens.ts';
import { type Identity, UNNAMED, type Viewer } from './viewer.ts';
import type { Visibility } from './visibility.ts';

export function viewerOfUser(
  identity: Identity,
  how: Pick<Viewer, 'via' | 'role' | 'teams' | 'address'> & { until?: Date; since?: Date },
  access: AccessConfig,
): Viewer {
  const approves = entriesNaming(identity, access);
  return {
    until: null,
    since: null,
    ...identity,
    ...how,
    rights: rightsOfRole(how.role),
    approves,
    tokenId: null,
  };
}

/** Returns the viewer of a token, under a name that no user has. */
export function viewerOfToken(token: ActiveToken, access: AccessConfig, address: string | null): Viewer {
  const rights = rightsOfScopes(token.scopes);
  const name = nameOfToken(token);
  return {
    ...UNNAMED,
    name,
    via: 'TOKEN',
    role: roleOfScopes(token.scopes),
    rights,
    teams: visibilityOfToken(token.team, rights, access),
    approves: entriesNamingToken(name, access),
    address,
    tokenId: token.id,
    until: token.expiresAt,
  };
}

/** Returns the teams that a token sees. A token stays bound to its team even if the configuration drops that team. */
function visibilityOfToken(
  team: string | null,
  rights: ReadonlySet<Right>,
  { teams }: AccessConfig,
): Visibility {
  if (team !== null) return team === EVERY_TEAM ? null : [team];
  return teams === null || rights.has('ADMIN') ? null : [];
}
