import { matchesPattern } from '../config/tool-policy.ts';
import type { AccessConfig } from '../config/types.ts';
import { isMember } from './roles.ts';
import type { Identity, Viewer } from './viewer.ts';

type Approvers = Pick<AccessConfig, 'approvers'>;

/** The entries of the configuration that name somebody, by their places. */
export function entriesNaming(identity: Identity, { approvers }: Approvers): number[] {
  return approvers.flatMap((members, place) => (isMember(identity, members) ? [place] : []));
}

/** Whether somebody may decide on calls of a tool: their right, and, where the configuration names approvers, one of these entries. */
export function mayApprove(
  viewer: Viewer,
  { server, tool }: { server: string; tool: string },
  { approvers }: Approvers,
): boolean {
  if (!viewer.rights.has('APPROVE')) return false;
  if (approvers.length === 0) return true;
  const name = `${server}.${tool}`;
  return approvers.some(
    ({ tools }, place) =>
      viewer.approves.includes(place) && tools.some((pattern) => matchesPattern(name, pattern)),
  );
}
