import { describe, expect, it } from 'vitest';
import { HASTY_MS, notifierSuite, POST } from '../../../../test/helpers/slack/notifier-suite.ts';
import type { Fault } from '../../../../test/helpers/slack/types.ts';
import { SLACK_TOKEN } from '../../../../test/helpers/slack/workspace.ts';

const suite = notifierSuite();
const { queued, warned, notifier, newSession, stored, attempt, methods } = suite;

describe('a failure', () => {
  it('of rate limiting waits as long as Slack asks', async () => {
    suite.slack.fail(POST, { status: 429, headers: { 'retry-after': '700' } });
    const id = await newSession();
    await attempt(id);
    expect(await stored(id)).toMatchObject({ status: 'WAITING', error: 'ratelimited', unsure: false });
    expect(Number((await stored(id)).due_in)).toBeGreaterThan(600);
    expect(queued).toEqual(['TERMINAL']);
    await notifier().run(id, 'TERMINAL'); // too early
    expect(suite.slack.messages).toHaveLength(0);
    await attempt(id);
    expect(suite.slack.messages).toHaveLength(1);
    expect(methods()).toEqual([POST, POST]);
  });

  it('of rate limiting waits an hour at most', async () => {
    suite.slack.fail(POST, { status: 429, headers: { 'retry-after': '7200' } });
    const id = await newSession();
    await attempt(id);
    expect(Number((await stored(id)).due_in)).toBeLessThanOrEqual(3_600);
  });

  it('of more than one message a second is posted by a later attempt', async () => {
    suite.slack.burst = 1;
    suite.slack.refill = 0; // within this second
    const ids = [await newSession(), await newSession()];
    for (const id of ids) await attempt(id);
    expect(await stored(ids[1]!)).toMatchObject({ status: 'WAITING', error: 'ratelimited', unsure: false });
    suite.slack.burst = 2;
    await attempt(ids[1]!);
    expect(suite.slack.messages).toHaveLength(2);
  });

  const unsure: [string, Fault][] = [
    ['500', { status: 500, body: 'oops' }],
    ['503 in HTML', { status: 503, body: '<html>' }],
    ['internal_error', { body: { ok: false, error: 'internal_error' } }],
    ['a page of a proxy', { body: '<html>some proxy</html>' }],
    ['a dropped connection', { how: 'drop' }],
    ['no response', { how: 'hang' }],
    ['429 without a time', { status: 429 }],
  ];
  const limitOf = ({ how }: Fault) => (how === 'hang' ? HASTY_MS : undefined);
  it.each(unsure)('of %s after the message was posted does not post it again', async (_, fault) => {
    suite.slack.fail(POST, { ...fault, done: true });
    const id = await newSession();
    await attempt(id, 'TERMINAL', SLACK_TOKEN, limitOf(fault));
    expect(await stored(id)).toMatchObject({ status: 'WAITING', unsure: true });
    await attempt(id);
    expect(suite.slack.messages).toHaveLength(1);
    expect(await stored(id)).toMatchObject({ status: 'POSTED', message_ts: suite.slack.messages[0]?.ts });
  });

  it.each(unsure)('of %s before the message was posted is posted by the next attempt', async (_, fault) => {
    suite.slack.fail(POST, fault);
    const id = await newSession();
    await attempt(id, 'TERMINAL', SLACK_TOKEN, limitOf(fault));
    await attempt(id);
    expect(suite.slack.messages).toHaveLength(1);
    expect(await stored(id)).toMatchObject({ status: 'POSTED' });
  });

  it('is found by the next attempt although the clock of Slack is behind', async () => {
    suite.slack.fail(POST, { how: 'drop', done: true });
    const id = await newSession();
    await attempt(id);
    await suite.pool.query(
      `update slack_posts set sending_at = sending_at + interval '1 minute' where session_id = $1`,
      [id],
    );
    await attempt(id);
    expect(suite.slack.messages).toHaveLength(1);
    expect(await stored(id)).toMatchObject({ status: 'POSTED' });
  });

  it('in a thread is searched for in the thread', async () => {
    suite.slack.say('fp-1');
    suite.slack.fail(POST, { how: 'drop', done: true });
    const id = await newSession({ slack_message_fingerprint: 'fp-1' });
    await attempt(id);
    await attempt(id);
    expect(suite.slack.messages).toHaveLength(2);
    expect(methods()).toEqual(['conversations.history', POST, 'conversations.replies']);
  });

  const unsearchable: [string, () => void][] = [
    [
      'missing_scope',
      () => suite.slack.fail('conversations.history', { body: { ok: false, error: 'missing_scope' } }),
    ],
    [
      'search_too_long',
      () => Array.from({ length: 1_001 }, (_, n) => suite.slack.say(`another message ${n}`)),
    ],
  ];
  it.each(unsearchable)('of unknown outcome posts nothing more (%s)', async (error, happens) => {
    suite.slack.fail(POST, { how: 'drop', done: true });
    const id = await newSession();
    await attempt(id);
    happens();
    await attempt(id);
    expect(await stored(id)).toMatchObject({ status: 'FAILED', error });
    expect(methods().filter((method) => method === POST)).toHaveLength(1);
  });

  it.each(['channel_not_found', 'not_in_channel', 'token_revoked', 'invalid_blocks'])(
    'of %s is final',
    async (error) => {
      suite.slack.fail(POST, { body: { ok: false, error } });
      const id = await newSession();
      await attempt(id);
      await attempt(id);
      expect(await stored(id)).toMatchObject({ status: 'FAILED', error, attempts: 1 });
      expect(methods()).toEqual([POST]);
      expect(queued).toEqual([]);
      expect(warned).toEqual(
        error === 'invalid_blocks'
          ? []
          : [expect.stringContaining(`refuses messages about sessions: ${error}.`)],
      );
    },
  );

  it('of an unknown token is final, raises a warning and does not log the token', async () => {
    const id = await newSession();
    await attempt(id, 'TERMINAL', 'xoxb-wrong-token');
    expect(await stored(id)).toMatchObject({ status: 'FAILED', error: 'invalid_auth' });
    expect(warned).toEqual([expect.stringContaining('refuses messages about sessions: invalid_auth.')]);
    expect(suite.log()).toContain('invalid_auth');
    expect(suite.log()).not.toMatch(/xoxb|disk is full/);
    await attempt(await newSession());
    expect(warned.at(-1)).toBe('clear slack');
  });

  it('of an unreachable server is retried ten times', async () => {
    await suite.slack.close();
    const id = await newSession();
    for (let n = 0; n < 12; n += 1) await attempt(id);
    expect(await stored(id)).toMatchObject({
      status: 'FAILED',
      error: 'unreachable',
      attempts: 11,
      unsure: false,
    });
    expect(queued).toHaveLength(10);
  });
});
