import { afterEach, beforeEach, expect, test } from 'vitest';
import { startFakeSlack } from '../../test/helpers/slack/server.ts';
import type { FakeSlack } from '../../test/helpers/slack/types.ts';
import { SLACK_CHANNEL, SLACK_TOKEN } from '../../test/helpers/slack/workspace.ts';
import { createSlackClient } from '../engine/features/slack/client.ts';
import { type SlackSetup, setupProblems } from './setup.ts';

let slack: FakeSlack;
beforeEach(async () => {
  slack = await startFakeSlack();
});
afterEach(() => slack.close());

const problems = (more: Partial<SlackSetup> = {}, token = SLACK_TOKEN) => {
  const signal = new AbortController().signal;
  const client = createSlackClient({
    ...{ token, channel: SLACK_CHANNEL, apiUrl: slack.url, callTimeoutMs: 5_000, signal },
  });
  return setupProblems(client, { receive: 'http', reaction: 'mag', channel: SLACK_CHANNEL, ...more });
};

test('a complete installation has no problem', async () => {
  expect(await problems()).toEqual([]);
});

test('each missing scope is named, and only those that the settings need', async () => {
  for (const scope of ['users:read.email', 'reactions:read', 'channels:history']) slack.scopes.delete(scope);
  const again = 'Add missing scopes to the app, and install the app again.';
  expect(await problems()).toEqual([
    'The bot token lacks the scope channels:history or groups:history.',
    'The bot token lacks the scope users:read.email.',
    'The bot token lacks the scope reactions:read.',
    again,
  ]);
  slack.scopes.add('groups:history');
  expect(await problems({ reaction: null })).toEqual([
    'The bot token lacks the scope users:read.email.',
    again,
  ]);
  expect(await problems({ receive: 'none' })).toEqual([]);
});

test('a bot outside the channel and a refused token are named', async () => {
  slack.isMember = false;
  expect(await problems()).toEqual([`The bot is not in the channel ${SLACK_CHANNEL}. Invite the bot there.`]);
  expect(await problems({}, 'xoxb-wrong')).toEqual([
    `Slack refuses the bot token or the channel ${SLACK_CHANNEL}: invalid_auth.`,
  ]);
});
