import { WebClient } from '@slack/web-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SILENT } from '../../../src/engine/features/slack/client.ts';
import { startFakeSlack } from './server.ts';
import type { FakeSlack } from './types.ts';
import { SLACK_CHANNEL, SLACK_TEAM, SLACK_TOKEN } from './workspace.ts';

const channel = SLACK_CHANNEL;
let slack: FakeSlack;
let web: WebClient;
let thread: string;
beforeEach(async () => {
  slack = await startFakeSlack();
  slack.streamRefusal = null;
  slack.users.set('U0000ANA', {});
  thread = slack.say('Disk full');
  const options = { slackApiUrl: slack.url, logger: SILENT, retryConfig: { retries: 0 } };
  web = new WebClient(SLACK_TOKEN, { ...options, rejectRateLimitedCalls: true });
});
afterEach(() => slack.close());

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: { data?: { error: string }; code: string }) => error.data?.error ?? error.code,
  );
const task = (status: 'pending' | 'in_progress' | 'complete' | 'error', more: object = {}) =>
  ({ type: 'task_update', id: '1', title: 'Look', status, ...more }) as const;
const start = (more: object = {}) =>
  web.chat.startStream({
    ...{ channel, thread_ts: thread, recipient_team_id: SLACK_TEAM, recipient_user_id: 'U0000ANA' },
    ...{ chunks: [task('in_progress')], ...more },
  });
const startTs = async () => (await start()).ts!;
const append = (ts: string, more: object = { chunks: [task('complete')] }) =>
  web.chat.appendStream({ channel, ts, ...more });
const cards = () =>
  (slack.messages.at(-1)!.blocks!.find(({ type }) => type === 'plan') as unknown as { tasks: object[] })
    .tasks;

test.each([
  ['outside of a thread', { thread_ts: undefined }, 'invalid_thread_ts'],
  ['in an unknown thread', { thread_ts: '1.000001' }, 'thread_not_found'],
  ['without a team', { recipient_team_id: undefined }, 'missing_recipient_team_id'],
  ['without a user', { recipient_user_id: undefined }, 'missing_recipient_user_id'],
  ['for a bot', { recipient_user_id: 'B0MON' }, 'invalid_arguments'],
  ['for an unknown user', { recipient_user_id: 'U0000CY' }, 'user_not_found'],
  ['with text beside chunks', { markdown_text: 'x' }, 'cannot_provide_both_markdown_text_and_chunks'],
  [
    'with a status that does not exist',
    { chunks: [{ ...task('complete'), status: 'cancelled' }] },
    'invalid_chunks',
  ],
  ['with a long title', { chunks: [{ ...task('complete'), title: 'x'.repeat(257) }] }, 'invalid_chunks'],
  ['with a long text', { chunks: [{ type: 'markdown_text', text: 'x'.repeat(12_001) }] }, 'invalid_chunks'],
  [
    'with too much text',
    { chunks: Array(45).fill({ type: 'markdown_text', text: 'x'.repeat(250) }) },
    'msg_too_long',
  ],
])('a stream is not started %s', async (_, more, code) => {
  expect(await codeOf(start(more))).toBe(code);
  expect(slack.messages).toHaveLength(1);
});

test('a stream is not started below a reply', async () => {
  const reply = slack.say('Me too', { thread_ts: thread });
  expect(await codeOf(start({ thread_ts: reply }))).toBe('invalid_thread_ts');
});

test('an open stream takes chunks and no edit, and an ended one the reverse', async () => {
  const ts = await startTs();
  const edited = { channel, ts, text: 'x' };
  expect(await codeOf(web.chat.update(edited))).toBe('streaming_state_conflict');
  expect(await codeOf(append(ts, {}))).toBe('no_text');
  expect(await codeOf(append(ts, { markdown_text: 'x' }))).toBe('streaming_mode_mismatch');
  await append(ts);
  await web.chat.stopStream({ channel, ts });
  expect(await codeOf(append(ts))).toBe('message_not_in_streaming_state');
  expect(await codeOf(web.chat.stopStream({ channel, ts }))).toBe('message_not_in_streaming_state');
  expect(await codeOf(append(thread))).toBe('message_not_owned_by_app');
  expect(await codeOf(web.chat.update(edited))).toBeNull();
});

test('a known task gets a new title and status, and its details grow', async () => {
  const ts = await startTs();
  await append(ts, { chunks: [task('in_progress', { details: 'a' })] });
  await append(ts, { chunks: [task('complete', { title: 'Looked', details: 'b' })] });
  expect(cards()).toEqual([expect.objectContaining({ title: 'Looked', status: 'complete', details: 'ab' })]);
});

test('a stream that Slack ends shows its open tasks as failed', async () => {
  const ts = await startTs();
  slack.expireStreams();
  expect(cards()).toEqual([expect.objectContaining({ status: 'error' })]);
  expect(await codeOf(append(ts))).toBe('message_not_in_streaming_state');
});

test('a workspace starts twenty streams in a minute', async () => {
  for (let n = 0; n < 20; n += 1) await start();
  expect(await codeOf(start())).toBe('slack_webapi_rate_limited_error');
});
