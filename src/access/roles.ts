import { ROLES, type Role } from '../config/enums.ts';
import type { AccessConfig, RoleMembers } from '../config/types.ts';
import type { Identity } from './viewer.ts';

/** The highest role that is somebody's; null = none. */
export function roleOf(identity: Identity, { roles }: AccessConfig): Role | null {
  if (roles === null) return 'ADMIN';
  return ROLES.findLast((role) => isMember(identity, roles[role])) ?? null;
}

function isMember(identity: Identity, { users, groups }: RoleMembers): boolean {
  return (
    users.some((user) => user === '*' || isUser(identity, user)) ||
    identity.groups.some((group) => groups.includes(group))
  );
}

/**
 * An address is compared with the address, as far as one is given: at many providers a user may choose a name that
 * looks like somebody else's address.
 */
function isUser({ name, email }: Identity, user: string): boolean {
  if (!user.includes('@')) return user === name;
  return user.toLowerCase() === (email ?? name).toLowerCase();
}

/** The groups on which a role depends. */
export function namedGroups({ roles }: AccessConfig): ReadonlySet<string> {
  return new Set(Object.values(roles ?? {}).flatMap(({ groups }) => groups));
}
