import { expect, it } from 'vitest';
import { createSlackViewers } from './viewer.ts';

const access = {
  roles: {
    VIEWER: { users: ['*'], groups: [] },
    RESPONDER: { users: [], groups: [] },
    ADMIN: { users: [], groups: [] },
  },
  teams: null,
  approvers: [],
};

it.each([
  [false, 'VIEWER'],
  [true, null],
])('a Slack user whose access has ended (%s) has the role %s', async (isEnded, role) => {
  const asked: unknown[] = [];
  const viewers = createSlackViewers({
    access,
    readUser: async () => ({ email: 'ana@example.com', isMember: true }) as never,
    endedAccess: {
      known: async () => {},
      isEnded: ({ email }, since) => {
        asked.push(email, since);
        return isEnded;
      },
    },
  });
  const viewer = await viewers.of('U1');
  expect(viewer.role).toBe(role);
  expect(viewer.rights.size > 0).toBe(!isEnded);
  expect(asked).toEqual(['ana@example.com', null]);
});
