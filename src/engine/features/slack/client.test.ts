import { afterEach, beforeEach, expect, test } from 'vitest';
import { startFakeSlack } from '../../../../test/helpers/slack/server.ts';
import type { FakeSlack } from '../../../../test/helpers/slack/types.ts';
import { SLACK_CHANNEL, SLACK_TOKEN } from '../../../../test/helpers/slack/workspace.ts';
import { createSlackClient } from './client.ts';

let slack: FakeSlack;
beforeEach(async () => {
  slack = await startFakeSlack();
});
afterEach(() => slack.close());

/** Reads a user of the workspace as TARSy does. */
async function read(user: Parameters<FakeSlack['users']['set']>[1]) {
  slack.users.set('U0000ANA', { email: 'ana@example.com', ...user });
  const client = createSlackClient({
    ...{ token: SLACK_TOKEN, channel: SLACK_CHANNEL, apiUrl: slack.url, callTimeoutMs: 5_000 },
    signal: new AbortController().signal,
  });
  return client.user('U0000ANA', (await client.identity()).teamId);
}

test('reads a member with the address', async () => {
  expect(await read({})).toEqual({ email: 'ana@example.com', isMember: true });
});

test.each([
  ['a guest', { is_restricted: true }],
  ['a guest of one channel', { is_ultra_restricted: true }],
  ['a user of another workspace', { team_id: 'T0OTHER' }],
  ['a user of a shared channel', { is_stranger: true }],
  ['a bot', { is_bot: true }],
  ['a deactivated user', { deleted: true }],
  ['a user with an unconfirmed address', { is_email_confirmed: false }],
])('%s is no member', async (_, user) => {
  expect(await read(user)).toMatchObject({ isMember: false });
});
