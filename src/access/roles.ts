import { ROLES, type Role } from '../config/enums.ts';
import type { AccessConfig, Members } from '../config/types.ts';
import type { Identity } from './viewer.ts';
import type { Visibility } from './visibility.ts';

/** The highest role that is somebody's; null = none. */
export function roleOf(identity: Identity, { roles }: AccessConfig): Role | null {
  if (roles === null) return 'ADMIN';
  return ROLES.findLast((role) => isMember(identity, roles[role])) ?? null;
}

type Named = { readonly [List in keyof Members]: readonly string[] };

/** Whether somebody is named, or a group of theirs. */
export function isMember(identity: Identity, { users, groups }: Named): boolean {
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

/** Somebody's teams, in the order of the configuration; null = they see every team. */
export function teamsOf(identity: Identity, role: Role | null, { teams }: AccessConfig): Visibility {
  if (teams === null || role === 'ADMIN') return null;
  return Object.keys(teams).filter((team) => isMember(identity, teams[team]!));
}

/** The groups on which a role, a team or a right depends. */
export function namedGroups({ roles, teams, approvers }: AccessConfig): ReadonlySet<string> {
  const all = [...Object.values(roles ?? {}), ...Object.values(teams ?? {}), ...approvers];
  return new Set(all.flatMap(({ groups }) => groups));
}
