import { matchesPattern } from '../config/tool-policy.ts';
import type { AccessConfig } from '../config/types.ts';
import { isMember } from './roles.ts';
import type { Identity, Viewer } from './viewer.ts';

type Approvers = Pick<AccessConfig, 'approvers'>;

/** Returns the indexes of the `access.approvers` entries that name this user or one of their groups. */
export function entriesNaming(identity: Identity, { approvers }: Approvers): number[] {
  return approvers.flatMap((members, index) => (isMember(identity, members) ? [index] : []));
}

/** Returns the indexes of the `access.approvers` entries that name this token, or every authenticated client. */
export function entriesNamingToken(name: string, { approvers }: Approvers): number[] {
  return approvers.flatMap(({ users }, index) =>
    users.some((user) => user === '*' || user === name) ? [index] : [],
  );
}

/** True if the viewer has the right APPROVE and, if approvers are configured, an entry names both viewer and tool. */
export function mayApprove(
  viewer: Viewer,
  { server, tool }: { server: string; tool: string },
  { approvers }: Approvers,
): boolean {
  if (!viewer.rights.has('APPROVE')) return false;
  if (approvers.length === 0) return true;
  const name = `${server}.${tool}`;
  return approvers.some(
    ({ tools }, index) =>
      viewer.approves.includes(index) && tools.some((pattern) => matchesPattern(name, pattern)),
  );
}
