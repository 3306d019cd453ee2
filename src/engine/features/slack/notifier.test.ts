import { describe, expect, it } from 'vitest';
import { notifierSuite, POST } from '../../../../test/helpers/slack/notifier-suite.ts';
import { SLACK_TOKEN } from '../../../../test/helpers/slack/workspace.ts';

const suite = notifierSuite();
const { notifier, newSession, stored, attempt, methods } = suite;

describe('a message', () => {
  it('is posted once, masked, with the token in its header only', async () => {
    const id = await newSession();
    await attempt(id);
    await attempt(id);
    expect(suite.slack.messages).toHaveLength(1);
    expect(suite.slack.messages[0]?.blocks?.[1]?.text.text).toBe('The [MASKED] disk is full.');
    expect(suite.slack.requests[0]).toMatchObject({
      authorization: `Bearer ${SLACK_TOKEN}`,
      args: { parse: 'none' },
    });
    expect(JSON.stringify(suite.slack.requests.map(({ args }) => args))).not.toContain(SLACK_TOKEN);
    expect(await stored(id)).toMatchObject({
      status: 'POSTED',
      message_ts: suite.slack.messages[0]?.ts,
      unsure: false,
    });
  });

  it('is posted once by concurrent attempts', async () => {
    const id = await newSession();
    await Promise.all([1, 2, 3, 4].map(() => notifier().run(id, 'TERMINAL')));
    expect(suite.slack.messages).toHaveLength(1);
  });

  it('goes into the thread of the alert, and so does the next one without another search', async () => {
    suite.slack.say('something else');
    const thread = suite.slack.say('Disk <b>FULL</b> on   host-1');
    const id = await newSession(
      { status: 'IN_PROGRESS', slack_message_fingerprint: 'full</b> on host-1' },
      'STARTED',
      'TERMINAL',
    );
    await attempt(id, 'STARTED');
    await suite.pool.query(`update alert_sessions set status = 'COMPLETED' where id = $1`, [id]);
    await attempt(id);
    expect(suite.slack.messages.slice(2).map(({ thread_ts: ts }) => ts)).toEqual([thread, thread]);
    expect(methods()).toEqual(['conversations.history', POST, POST]);
  });

  it('goes into the thread in which the alert is a reply that the channel shows', async () => {
    const thread = suite.slack.say('Alerts of today');
    suite.slack.say('Disk full on host-2', { thread_ts: thread, subtype: 'thread_broadcast' });
    await attempt(await newSession({ slack_message_fingerprint: 'full on host-2' }));
    expect(suite.slack.messages[2]?.thread_ts).toBe(thread);
  });

  it('goes into the channel if no message of the last day contains the fingerprint', async () => {
    suite.slack.say('fp-1', { ts: `${Math.floor(Date.now() / 1000) - 25 * 3600}.000001` });
    for (let n = 0; n < 450; n += 1) suite.slack.say(`noise ${n}`);
    const id = await newSession({ slack_message_fingerprint: 'fp-1' });
    await attempt(id);
    expect(suite.slack.messages.at(-1)?.thread_ts).toBeUndefined();
    expect(methods()).toEqual([...Array(3).fill('conversations.history'), POST]);
  });

  it('about the start is skipped if the session has ended', async () => {
    const id = await newSession({ slack_message_fingerprint: 'x' }, 'STARTED');
    await attempt(id, 'STARTED');
    expect(await stored(id, 'STARTED')).toMatchObject({ status: 'SKIPPED' });
    expect(suite.slack.requests).toEqual([]);
  });

  it('goes into the channel if the thread is gone or the search is not permitted', async () => {
    const thread = suite.slack.say('fp-1');
    suite.slack.fail(POST, { body: { ok: false, error: 'thread_not_found' } });
    const id = await newSession({ slack_message_fingerprint: 'fp-1' });
    await attempt(id);
    expect(suite.slack.messages.at(-1)?.thread_ts).toBeUndefined();
    suite.slack.fail('conversations.history', { body: { ok: false, error: 'missing_scope' } });
    await attempt(await newSession({ slack_message_fingerprint: 'fp-1' }));
    expect(suite.slack.messages.filter(({ thread_ts: ts }) => ts === thread)).toEqual([]);
    expect(suite.slack.messages).toHaveLength(3);
  });
});
