import type { Role } from '../config/enums.ts';
import { type Right, rightsOfRole } from './rights.ts';

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
export interface Viewer extends Identity {
  /** NONE: nobody signs in, and the name is no more than a label. */
  readonly via: 'NONE' | 'PROXY';
  /** Null = none: they got in, and may do nothing. */
  readonly role: Role | null;
  readonly rights: ReadonlySet<Right>;
  /** Those whose objects they see, besides what has no team; null = all. */
  readonly teams: readonly string[] | null;
}

/** Rights that reads are bound to. */
const READING: readonly Right[] = ['READ', 'ADMIN'];

/** What a viewer may see, as text: to viewers of equal sight every object looks the same. */
export function sightOf({ rights, teams }: Viewer): string {
  return JSON.stringify([READING.filter((right) => rights.has(right)), teams]);
}

/** In the place of all viewers of the same sight, where something is made once for all of them: it has no name. */
export function anyoneLike({ via, role, rights, teams }: Viewer): Viewer {
  return { name: '', email: null, groups: [], via, role, rights, teams };
}

export function withRole(identity: Identity, via: Viewer['via'], role: Role | null): Viewer {
  return { ...identity, via, role, rights: rightsOfRole(role), teams: null };
}
