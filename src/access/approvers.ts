import { matchesPattern } from '../config/tool-policy.ts';
import type { AccessConfig } from '../config/types.ts';
import { isMember } from './roles.ts';
import type { Viewer } from './viewer.ts';

/** Whether somebody may decide on calls of a tool: their right, and, where the configuration names approvers, one of these entries. */
export function mayApprove(
  viewer: Viewer,
  { server, tool }: { server: string; tool: string },
  { approvers }: Pick<AccessConfig, 'approvers'>,
): boolean {
  if (!viewer.rights.has('APPROVE')) return false;
  if (approvers.length === 0) return true;
  const name = `${server}.${tool}`;
  return approvers.some(
    ({ tools, ...members }) =>
      tools.some((pattern) => matchesPattern(name, pattern)) && isMember(viewer, members),
  );
}
