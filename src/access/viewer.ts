import type { Actor } from '../audit.ts';
import type { Role } from '../config/enums.ts';
import type { Right } from './rights.ts';
import type { Visibility } from './visibility.ts';

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
  readonly teams: Visibility;
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
export function visibilityKey({ rights, teams, approves }: Viewer): string {
  return JSON.stringify([READING.filter((right) => rights.has(right)), teams, approves]);
}

export const UNNAMED = { name: '', email: null, groups: [], address: null, tokenId: null, until: null };

/** In the place of all viewers of the same sight, where something is made once for all of them: it has no name. */
export function anonymousViewer({ via, role, rights, teams, approves }: Viewer): Viewer {
  return { ...UNNAMED, via, role, rights, teams, approves };
}
