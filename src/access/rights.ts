import { ROLES, type Role } from '../config/enums.ts';
import type { TokenScope } from '../db/enums.ts';

/** One permission. The scopes of a token are rights; a role grants several rights. */
export type Right = TokenScope;

const OF_ROLE: Readonly<Record<Role, readonly Right[]>> = {
  VIEWER: ['READ'],
  RESPONDER: ['READ', 'SUBMIT_ALERTS', 'CHAT', 'REVIEW', 'APPROVE'],
  ADMIN: ['READ', 'SUBMIT_ALERTS', 'CHAT', 'REVIEW', 'APPROVE', 'ADMIN'],
};

export function rightsOfRole(role: Role | null): ReadonlySet<Right> {
  return new Set(role === null ? [] : OF_ROLE[role]);
}

/** Returns the lowest role with one of these rights; `null` if no role has any. */
export function lowestRoleWith(rights: readonly Right[]): Role | null {
  return ROLES.find((role) => OF_ROLE[role].some((right) => rights.includes(right))) ?? null;
}

/** Returns the rights of a token. The scope ADMIN includes every right except APPROVE, which must be listed. */
export function rightsOfScopes(scopes: readonly TokenScope[]): ReadonlySet<Right> {
  const all = OF_ROLE.ADMIN.filter((right) => right !== 'APPROVE');
  return new Set(scopes.includes('ADMIN') ? [...all, ...scopes] : scopes);
}

/** Returns the role closest to a token's rights, for display. */
export function roleOfScopes(scopes: readonly TokenScope[]): Role {
  if (scopes.includes('ADMIN')) return 'ADMIN';
  return scopes.every((scope) => scope === 'READ') ? 'VIEWER' : 'RESPONDER';
}
