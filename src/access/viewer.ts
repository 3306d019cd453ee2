import type { Actor } from '../audit.ts';
import type { Role } from '../config/enums.ts';
import type { Right } from './rights.ts';
import type { Visibility } from './visibility.ts';

/** A user, as described by a proxy or an identity provider. */
export interface Identity {
  readonly name: string;
  readonly email: string | null;
  readonly groups: readonly string[];
}

/** The user or program behind a request, with its rights and visibility. Every access decision uses this object. */
export interface Viewer extends Identity, Actor {
  /** How the viewer was authenticated. NONE: no sign-in is configured, so the name is only a label. */
  readonly via: 'NONE' | 'PROXY' | 'OIDC' | 'TOKEN' | 'SLACK';
  /** `null` if the viewer has no right. */
  readonly role: Role | null;
  readonly rights: ReadonlySet<Right>;
  readonly teams: Visibility;
  /** Indexes of the `access.approvers` entries that name the viewer. */
  readonly approves: readonly number[];
  /** Id of the token that the viewer used; `null` if none. */
  readonly tokenId: string | null;
  /** Time at which the sign-in or the token expires; `null` = no expiry. */
  readonly until: Date | null;
  /** Time of the sign-in or, behind a proxy, of the request; `null` for others. */
  readonly since: Date | null;
}

/** Rights on which the result of a read depends. */
const READING: readonly Right[] = ['READ', 'APPROVE', 'ADMIN'];

/** Returns a key that is equal for viewers who get equal results of every read. */
export function visibilityKey({ rights, teams, approves }: Viewer): string {
  return JSON.stringify([READING.filter((right) => rights.has(right)), teams, approves]);
}

export const UNNAMED = {
  name: '',
  email: null,
  groups: [],
  address: null,
  tokenId: null,
  until: null,
  since: null,
};

/** Returns a nameless viewer that stands for all viewers with the same visibility key. */
export function anonymousViewer({ via, role, rights, teams, approves }: Viewer): Viewer {
  return { ...UNNAMED, via, role, rights, teams, approves };
}
