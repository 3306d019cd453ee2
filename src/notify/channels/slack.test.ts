import { afterEach, expect, test } from 'vitest';
import { HOSTILE, noticeWith } from '../../../test/fixtures/notice.ts';
import { startFakeSlack } from '../../../test/helpers/slack/server.ts';
import type { FakeSlack } from '../../../test/helpers/slack/types.ts';
import { SLACK_CHANNEL, SLACK_TOKEN } from '../../../test/helpers/slack/workspace.ts';
import type { SendError } from '../failure.ts';
import { slackChannel } from './slack.ts';

let slack: FakeSlack;
afterEach(() => slack.close());

const send = (written: string, token = SLACK_TOKEN) =>
  slackChannel({ token, channel: SLACK_CHANNEL, apiUrl: slack.url })(
    { id: 'delivery-1', createdAt: new Date(0), notice: noticeWith(written) },
    new AbortController().signal,
  );

test('hostile text becomes plain blocks, marked as a message of TARSy', async () => {
  slack = await startFakeSlack();
  expect(await send(HOSTILE)).toBeNull();
  const [message] = slack.messages;
  expect(message!.blocks!.map(({ text }) => text.type)).toEqual([...Array(5).fill('plain_text'), 'mrkdwn']);
  expect(message!.blocks![0]!.block_id).toBe('tarsy:notice:delivery-1');
  expect(message!.text).not.toContain('<!channel>');
  expect(JSON.stringify(message)).not.toContain('hunter2');
  expect(message!.blocks!.at(-1)!.text.text).toMatch(/^<https:[^|]+\|Open the page>$/);
});

test('a text of 60,000 characters fits', async () => {
  slack = await startFakeSlack();
  await send('<&>'.repeat(20_000));
  for (const { text } of slack.messages[0]!.blocks!) expect(text.text.length).toBeLessThan(3_000);
});

test.each([
  [{ body: { ok: false, error: 'not_in_channel' } }, { code: 'SLACK_NOT_IN_CHANNEL', isFinal: true }],
  [
    { status: 429, headers: { 'retry-after': '70' } },
    { code: 'SLACK_RATELIMITED', isRateLimited: true, retryAfterMs: 70_000 },
  ],
  [
    { status: 429, headers: { 'retry-after': '999999999999' } },
    { code: 'SLACK_RATELIMITED', isRateLimited: true, retryAfterMs: 3_600_000 },
  ],
  [
    { status: 429, headers: { 'retry-after': '-70' } },
    { code: 'SLACK_RATELIMITED', isRateLimited: true, retryAfterMs: 0 },
  ],
  [
    { body: { ok: false, error: 'rate_limited' } },
    { code: 'SLACK_RATE_LIMITED', isFinal: false, isRateLimited: true },
  ],
  [
    { status: 503, body: '' },
    { code: 'SLACK_HTTP_503', isFinal: false },
  ],
])('a refusal has its code, and is final or tried again', async (fault, expected) => {
  slack = await startFakeSlack();
  slack.fail('chat.postMessage', fault);
  const failure = await send('x').then(
    () => null,
    (error: SendError) => error.failure,
  );
  expect(failure).toMatchObject(expected);
});
