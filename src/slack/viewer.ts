import { viewerOfUser } from '../access/create-viewer.ts';
import type { EndedAccess } from '../access/ended-access.ts';
import { lowestRoleWith, type Right } from '../access/rights.ts';
import { roleOf, teamsOf } from '../access/roles.ts';
import { UNNAMED, type Viewer } from '../access/viewer.ts';
import { ForbiddenError } from '../common/errors.ts';
import { isTokenName } from '../common/token-name.ts';
import type { AccessConfig } from '../config/types.ts';
import type { SlackUser } from '../engine/features/slack/client.ts';

/** Time for which the address of a Slack user is kept (ms). */
const KEPT_MS = 5 * 60_000;
const MAX_KEPT = 1_000;

/** Finds the viewer behind a Slack user. */
export interface SlackViewers {
  /** Returns the viewer of a user; without any right if no role names their e-mail address, or if their access has ended. @throws SlackCallError */
  of(user: string): Promise<Viewer>;
}

/**
 * A user of Slack is known by the confirmed e-mail address of a full member of the workspace. Roles, teams and approvers
 * follow from that address, as after a sign-in on the page with the address as name. Slack reports no groups.
 */
export function createSlackViewers(deps: {
  access: AccessConfig;
  readUser: (user: string) => Promise<SlackUser | null>;
  endedAccess: Pick<EndedAccess, 'known' | 'isEnded'>;
}): SlackViewers {
  const { access, readUser, endedAccess } = deps;
  const kept = new Map<string, { user: SlackUser | null; until: number }>();
  const read = async (id: string): Promise<SlackUser | null> => {
    const known = kept.get(id);
    if (known && known.until > performance.now()) return known.user;
    const user = await readUser(id);
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(id, { user, until: performance.now() + KEPT_MS });
    return user;
  };
  return {
    async of(id) {
      const user = await read(id);
      const email = user?.isMember ? user.email : null;
      if (!email || isTokenName(email)) return unknownUser(id, access);
      const identity = { name: email, email, groups: [] };
      await endedAccess.known();
      if (endedAccess.isEnded(identity, null)) return unknownUser(id, access);
      const role = roleOf(identity, access);
      const how = { via: 'SLACK', role, teams: teamsOf(identity, role, access), address: null } as const;
      return viewerOfUser(identity, how, access);
    },
  };
}

function unknownUser(id: string, access: AccessConfig): Viewer {
  const identity = { ...UNNAMED, name: `slack:${id}` };
  return {
    ...viewerOfUser(identity, { via: 'SLACK', role: null, teams: [], address: null }, access),
    approves: [],
  };
}

/** @throws ForbiddenError if the viewer lacks the right */
export function requireRight({ role, rights }: Viewer, right: Right): void {
  if (rights.has(right)) return;
  const needed = lowestRoleWith([right]);
  const has =
    role === null ? 'TARSy knows no role for the e-mail address of your Slack account' : `yours is ${role}`;
  throw new ForbiddenError(`This needs the role ${needed}; ${has}.`, needed);
}
