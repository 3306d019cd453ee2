import { describe, expect, it } from 'vitest';
import { APPEND, START, STOP, streamSuite, UPDATE } from '../../../../test/helpers/slack/stream-suite.ts';
import type { Fault } from '../../../../test/helpers/slack/types.ts';

const suite = streamSuite();
const {
  newNotifier,
  newEditor,
  edit,
  newSession,
  request,
  attempt,
  newStream,
  beginStage,
  endStage,
  endSession,
  stored,
  calls,
  streamed,
  plan,
  tasks,
} = suite;

describe('a crash', () => {
  const unsure: [string, Fault][] = [
    ['a dropped connection', { how: 'drop' }],
    ['no response', { how: 'hang' }],
    ['500', { status: 500, body: 'oops' }],
  ];
  it.each(unsure)('with %s after the start does not start a second stream', async (_, fault) => {
    suite.slack.fail(START, { ...fault, done: true });
    const id = await newStream();
    expect(await stored(id)).toMatchObject({ status: 'WAITING', streaming: false });
    await beginStage(id, 'Triage');
    await attempt(id);
    expect(streamed()).toHaveLength(1);
    expect(await stored(id)).toMatchObject({
      status: 'POSTED',
      streaming: true,
      message_ts: streamed()[0]?.ts,
    });
    await edit();
    expect(tasks()[0]).toBe('in_progress: Triage');
  });

  it.each(unsure)('with %s before the start starts the stream later', async (_, fault) => {
    suite.slack.fail(START, fault);
    const id = await newStream();
    await attempt(id);
    expect(streamed()).toHaveLength(1);
  });

  it.each([
    ['ended', endSession],
    [
      'deleted',
      (id: string) => suite.pool.query('update alert_sessions set deleted_at = now() where id = $1', [id]),
    ],
  ])('after the start ends the stream of a session that is %s meanwhile', async (_, change) => {
    suite.slack.fail(START, { how: 'drop', done: true });
    const id = await newStream();
    await change(id);
    await attempt(id);
    await edit();
    expect(streamed().map(({ streaming_state: state }) => state)).toEqual(['completed']);
  });

  it('before the start of a session that ended meanwhile starts nothing', async () => {
    suite.slack.fail(START, { how: 'drop' });
    const id = await newStream();
    await endSession(id);
    await attempt(id);
    expect(streamed()).toEqual([]);
    expect(await stored(id)).toMatchObject({ status: 'SKIPPED' });
  });

  it('does not take the stream of another session or user for its own', async () => {
    const other = await newStream();
    suite.slack.fail(START, { how: 'drop' });
    const id = await newSession();
    await suite.pool.query(
      `insert into slack_posts (session_id, point, thread_ts) values ($1, 'PROGRESS', $2)`,
      [id, suite.slack.messages[0]!.ts],
    );
    suite.slack.say(id, { thread_ts: suite.slack.messages[0]!.ts, streaming_state: 'completed' });
    await attempt(id);
    await attempt(id);
    const [first, , own] = streamed();
    expect(first?.text).toContain(other);
    expect(await stored(id)).toMatchObject({ status: 'POSTED', message_ts: own?.ts });
    expect(own?.text).toContain(id);
  });

  it.each(unsure)('with %s after the end leaves the final state', async (_, fault) => {
    const id = await newStream();
    const { stage } = await beginStage(id, 'Triage');
    await endStage(stage);
    await endSession(id);
    suite.slack.fail(STOP, { ...fault, done: true });
    await edit();
    expect(await stored(id)).toMatchObject({ streaming: true });
    await edit();
    expect(await stored(id)).toMatchObject({ streaming: false, shown: expect.stringMatching(/^END:/) });
    expect(streamed()).toHaveLength(1);
    expect(tasks()[0]).toBe('complete: Triage');
    expect(streamed()[0]).toMatchObject({ metadata: { event_payload: { point: 'PROGRESS' } } });
  });

  it.each(unsure)('with %s after a change repeats nothing in the cards', async (_, fault) => {
    const id = await newStream();
    await beginStage(id, 'Triage');
    suite.slack.fail(APPEND, { ...fault, done: true });
    await edit();
    await edit();
    expect(calls(APPEND)).toHaveLength(2);
    expect(tasks()).toEqual(['in_progress: Triage', 'pending: Fix &lt;!channel&gt;']);
    expect(plan().tasks.every(({ details }) => details === undefined)).toBe(true);
  });
});

describe('rate limits', () => {
  it('of the start pause streams only, as long as Slack asks', async () => {
    suite.slack.fail(START, { status: 429, headers: { 'retry-after': '70' } });
    const notifier = newNotifier();
    const ids = [await newSession(), await newSession()];
    await request();
    for (const id of ids) await attempt(id, notifier);
    expect(calls(START)).toHaveLength(1);
    expect(await stored(ids[0]!)).toMatchObject({ status: 'WAITING', error: 'ratelimited', attempts: 0 });
    await endSession(ids[0]!);
    await suite.pool.query(`insert into slack_posts (session_id, point) values ($1, 'TERMINAL')`, [ids[0]]);
    await notifier.run(ids[0]!, 'TERMINAL');
    expect(calls('chat.postMessage')).toHaveLength(1);
  });

  it.each([APPEND, STOP])('of %s pause that method as long as Slack asks', async (method) => {
    const id = await newStream();
    const editor = newEditor();
    suite.slack.fail(method, { status: 429, headers: { 'retry-after': '600' } });
    await beginStage(id, 'Triage');
    if (method === STOP) await endSession(id);
    await editor();
    await editor();
    expect(calls(method)).toHaveLength(1);
    expect(await stored(id)).toMatchObject({ streaming: true });
    await edit();
    expect(calls(method)).toHaveLength(2);
    expect(await stored(id)).toMatchObject({ streaming: method === APPEND });
  });

  it('are kept by few calls in a round, also if many sessions change and end at once', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 12; n += 1) ids.push(await newStream());
    for (const id of ids.slice(6)) await endSession(id);
    for (const id of ids.slice(0, 6)) await beginStage(id, 'Triage');
    const editor = newEditor();
    await editor();
    expect([calls(APPEND).length, calls(STOP).length, calls(UPDATE).length]).toEqual([4, 1, 2]);
    for (let n = 0; n < 8; n += 1) await editor();
    expect(streamed().filter(({ streaming_state: state }) => state === 'in_progress')).toHaveLength(6);
    expect(calls(APPEND)).toHaveLength(6);
  });
});
