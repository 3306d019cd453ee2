import type { Actor } from '../audit.ts';
import type { Role } from '../config/enums.ts';
import type { AccessConfig } from '../config/types.ts';
import { entriesNaming } from './approvers.ts';
import { type Right, rightsOfRole, rightsOfScopes, roleOfScopes } from './rights.ts';
import type { Sight } from './sight.ts';
import { EVERY_TEAM } from './teams.ts';
import type { HeldToken } from './tokens.ts';

/** Of a viewer what a proxy or a provider says. */
export interface Identity {
  /** Recorded as author of what they do. */
  readonly name: string;
  /** Null when none is given. */
  readonly email: string | null;
  /** Names of their groups; empty when none are given. */
  readonly groups: readonly string[];
}

/** A user, or a program, with what they may see and do: all that is decided about a request is decided by this. */
export interface Viewer extends Identity, Actor {
  /** NONE: nobody signs in, and the name is no more than a label. */
  readonly via: 'NONE' | 'PROXY' | 'OIDC' | 'TOKEN';
  /** Null = none: they got in, and may do nothing. */
  readonly role: Role | null;
  readonly rights: ReadonlySet<Right>;
  readonly teams: Sight;
  /** Entries of `access.approvers` that name them, by their places. */
  readonly approves: readonly number[];
  /** Of the token by which they are known; null = by none. */
  readonly tokenId: string | null;
  /** When they must show again who they are; null = with each request. */
  readonly until: Date | null;
}

/** Rights that reads are bound to. */
const READING: readonly Right[] = ['READ', 'APPROVE', 'ADMIN'];

/** What a viewer may see, as text: to viewers of equal sight every object looks the same. */
export function sightOf({ rights, teams, approves }: Viewer): string {
  return JSON.stringify([READING.filter((right) => rights.has(right)), teams, approves]);
}

const UNNAMED = { name: '', email: null, groups: [], address: null, tokenId: null, until: null };

/** In the place of all viewers of the same sight, where something is made once for all of them: it has no name. */
export function anyoneLike({ via, role, rights, teams, approves }: Viewer): Viewer {
  return { ...UNNAMED, via, role, rights, teams, approves };
}

/** A user whom others name. */
export function userOf(
  identity: Identity,
  how: Pick<Viewer, 'via' | 'role' | 'teams' | 'address'> & { until?: Date },
  access: AccessConfig,
): Viewer {
  const { until = null } = how;
  const approves = entriesNaming(identity, access);
  return { ...identity, ...how, rights: rightsOfRole(how.role), approves, tokenId: null, until };
}

/** A program that shows a token. It is no user of the same name. */
export function holderOf(token: HeldToken, access: AccessConfig, address: string | null): Viewer {
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
function sightOfToken(team: string | null, rights: ReadonlySet<Right>, { teams }: AccessConfig): Sight {
  if (team !== null) return team === EVERY_TEAM ? null : [team];
  return teams === null || rights.has('ADMIN') ? null : [];
}
