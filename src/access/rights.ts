import { ROLES, type Role } from '../config/enums.ts';
import type { TokenScope } from '../db/enums.ts';

/** What somebody may do. The scopes of a token are what it may do; a role is several of these. */
export type Right = TokenScope;

const OF_ROLE: Readonly<Record<Role, readonly Right[]>> = {
  VIEWER: ['READ'],
  RESPONDER: ['READ', 'SUBMIT_ALERTS', 'CHAT', 'REVIEW', 'APPROVE'],
  ADMIN: ['READ', 'SUBMIT_ALERTS', 'CHAT', 'REVIEW', 'APPROVE', 'ADMIN'],
};

/** Null = of somebody without a role. */
export function rightsOfRole(role: Role | null): ReadonlySet<Right> {
  return new Set(role === null ? [] : OF_ROLE[role]);
}

/** The lowest role with one of these rights; null when no role has any. */
export function lowestRoleWith(rights: readonly Right[]): Role | null {
  return ROLES.find((role) => OF_ROLE[role].some((right) => rights.includes(right))) ?? null;
}

/** ADMIN is all but APPROVE, which must be said. */
export function rightsOfScopes(scopes: readonly TokenScope[]): ReadonlySet<Right> {
  const all = OF_ROLE.ADMIN.filter((right) => right !== 'APPROVE');
  return new Set(scopes.includes('ADMIN') ? [...all, ...scopes] : scopes);
}

/** The role that comes nearest to what a token may do. */
export function roleOfScopes(scopes: readonly TokenScope[]): Role {
  if (scopes.includes('ADMIN')) return 'ADMIN';
  return scopes.every((scope) => scope === 'READ') ? 'VIEWER' : 'RESPONDER';
}
