import type { Actor } from '../audit.ts';
import type { Role } from '../config/enums.ts';
import type { Right } from './rights.ts';
import type { Visibility } from './visibility.ts';

/** A user as a proxy or an identity provider describes them. */
export interface Identity {
  readonly name: string;
  readonly email: string | null;
  readonly groups: readonly string[];
}

/** The user or program behind a request, with all that it may see and do. Every access decision uses this object. */
export interface Viewer extends Identity, Actor {
  /** How the viewer was authenticated. NONE: no sign-in is configured, so the name is only a label. */
  readonly via: 'NONE' | 'PROXY' | 'OIDC' | 'TOKEN';
  /** `null` if the viewer has no right. */
  readonly role: Role | null;
  readonly rights: ReadonlySet<Right>;
  readonly teams: Visibility;
  /** Indexes of the `access.approvers` entries that name the viewer. */
  readonly approves: readonly number[];
  /** `null` if the viewer did not use a token. */
  readonly tokenId: string | null;
  /** When the authentication ends; `null` if each request is checked. */
  readonly until: Date | null;
}

/** Rights that change what a read returns. */
const READING: readonly Right[] = ['READ', 'APPROVE', 'ADMIN'];

/** Returns a key that is equal for viewers to whom every object looks the same. */
export function visibilityKey({ rights, teams, approves }: Viewer): string {
  return JSON.stringify([READING.filter((right) => rights.has(right)), teams, approves]);
}

export const UNNAMED = { name: '', email: null, groups: [], address: null, tokenId: null, until: null };

/** Returns a nameless viewer that stands for all viewers with the same visibility key. */
export function anonymousViewer({ via, role, rights, teams, approves }: Viewer): Viewer {
  return { ...UNNAMED, via, role, rights, teams, approves };
}
