import { isTokenName } from '../common/token-name.ts';
import { ROLES, type Role } from '../config/enums.ts';
import type { AccessConfig, Members } from '../config/types.ts';
import type { Identity } from './viewer.ts';
import type { Visibility } from './visibility.ts';

/** Returns the highest role of a user; `null` if they have none. Everyone is ADMIN where no roles are configured. */
export function roleOf(identity: Identity, { roles }: AccessConfig): Role | null {
  if (roles === null) return 'ADMIN';
  return ROLES.findLast((role) => isMember(identity, roles[role])) ?? null;
}

/** True if the list names the user or one of their groups. */
export function isMember(
  identity: Identity,
  { users, groups }: Record<keyof Members, readonly string[]>,
): boolean {
  return (
    users.some((user) => user === '*' || isUser(identity, user)) ||
    identity.groups.some((group) => groups.includes(group))
  );
}

/** True if an entry names the user. Entries with `@` match the email, if known, because users may choose names. */
function isUser({ name, email }: Identity, user: string): boolean {
  if (isTokenName(user)) return false;
  if (!user.includes('@')) return user === name;
  return user.toLowerCase() === (email ?? name).toLowerCase();
}

/** Returns a user's teams in configuration order; `null` if they see every team. */
export function teamsOf(identity: Identity, role: Role | null, { teams }: AccessConfig): Visibility {
  if (teams === null || role === 'ADMIN') return null;
  return Object.keys(teams).filter((team) => isMember(identity, teams[team]!));
}

/** Returns every group that a role, a team or an approver entry of the configuration names. */
export function namedGroups({ roles, teams, approvers }: AccessConfig): ReadonlySet<string> {
  const all = [...Object.values(roles ?? {}), ...Object.values(teams ?? {}), ...approvers];
  return new Set(all.flatMap(({ groups }) => groups));
}
