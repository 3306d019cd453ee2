import { describe, expect, it } from 'vitest';
import { controlsIn } from '../../../../test/helpers/slack/blocks.ts';
import { APPEND, START, STOP, streamSuite, UPDATE } from '../../../../test/helpers/slack/stream-suite.ts';
import { SLACK_TEAM } from '../../../../test/helpers/slack/workspace.ts';

const suite = streamSuite();
const {
  edit,
  newSession,
  request,
  attempt,
  newStream,
  beginStage,
  callTool,
  endStage,
  endSession,
  age,
  stored,
  calls,
  streamed,
  plan,
  tasks,
  warned,
} = suite;

describe('the progress of a session', () => {
  it('is streamed below its first message to the user who asked, with a card per stage', async () => {
    const id = await newSession();
    await request();
    await request();
    await attempt(id);
    await attempt(id);
    expect(calls(START).map(({ args }) => args)).toEqual([
      expect.objectContaining({
        thread_ts: suite.slack.messages[0]?.ts,
        recipient_user_id: 'U0000ANA',
        recipient_team_id: SLACK_TEAM,
        task_display_mode: 'plan',
      }),
    ]);
    expect(streamed()).toHaveLength(1);
    expect(streamed()[0]).toMatchObject({ streaming_state: 'in_progress' });
    expect(streamed()[0]?.text).toContain(`[Open the investigation](https://tarsy.example/sessions/${id})`);
    expect(plan().title).toBe('Has started.');
    expect(tasks()).toEqual(['pending: Triage', 'pending: Fix &lt;!channel&gt;']);

    const triage = await beginStage(id, 'Triage', ['Linux', 'Network']);
    await callTool(id, triage.stage, triage.agents[0]!);
    await callTool(id, triage.stage, triage.agents[1]!);
    await callTool(id, triage.stage, triage.agents[1]!);
    await edit();
    await edit();
    expect(calls(APPEND)).toHaveLength(1); // several changes are one call, and no change is none
    expect(plan().title).toBe('Stage Triage, 3 tool calls so far.');
    expect(tasks()).toEqual([
      'in_progress: Triage · 3 tool calls',
      'pending: Fix &lt;!channel&gt;',
      'in_progress: Linux · 1 tool call',
      'in_progress: Network · 2 tool calls',
    ]);

    await endStage(triage.stage);
    await suite.pool.query(`update agent_executions set status = 'COMPLETED' where stage_id = $1`, [
      triage.stage,
    ]);
    const fix = await beginStage(id, 'Fix <!channel>');
    await suite.pool.query(
      `update agent_executions set status = 'WAITING_FOR_APPROVAL' where stage_id = $1`,
      [fix.stage],
    );
    await edit();
    expect(tasks().slice(0, 2)).toEqual([
      'complete: Triage · 3 tool calls',
      'in_progress: Fix &lt;!channel&gt; · waits for approval',
    ]);

    await endStage(fix.stage);
    await endSession(id);
    await edit();
    expect(streamed()[0]).toMatchObject({
      streaming_state: 'completed',
      metadata: { event_type: 'tarsy_session', event_payload: { session_id: id, point: 'PROGRESS' } },
    });
    expect(plan().title).toBe('The investigation has ended. The result follows.');
    expect(plan().tasks.map(({ status, details }) => [status, details])).toEqual([
      ['complete', '2 agents, 1m30s'],
      ['complete', '1m30s'],
      ['complete', undefined],
      ['complete', undefined],
    ]);
    expect(await stored(id)).toMatchObject({ streaming: false, shown: expect.stringMatching(/^END:/) });
    await edit();
    expect(suite.slack.requests.slice(-1)[0]?.method).not.toBe(APPEND);
    expect(calls(STOP)).toHaveLength(1);
    expect(controlsIn({ text: JSON.stringify(streamed()) })).toEqual([]);
    expect(suite.log()).not.toContain('Triage');
  });

  it('is not streamed if no user in Slack asked for it, or if it waits for a slot', async () => {
    await newSession(null);
    const waiting = await newSession();
    await endSession(waiting, 'PENDING');
    expect((await request()).rowCount).toBe(0);
  });

  it.each(['FAILED', 'CANCELLED', 'TIMED_OUT'])('ends its stream when it is %s', async (status) => {
    const id = await newStream();
    await beginStage(id, 'Triage');
    await endSession(id, status);
    await edit();
    expect(streamed()[0]?.streaming_state).toBe('completed');
    expect(tasks()).toEqual(['error: Triage · not finished', 'error: Fix &lt;!channel&gt; · not run']);
  });

  it('ends its stream when it is deleted, and shows nothing more', async () => {
    const id = await newStream();
    const before = tasks().map((task) => task.replace('pending', 'error'));
    await beginStage(id, 'Secret');
    await suite.pool.query('update alert_sessions set deleted_at = now() where id = $1', [id]);
    await edit();
    await edit();
    expect(streamed()[0]?.streaming_state).toBe('completed');
    expect(tasks()).toEqual(before);
    expect(calls(UPDATE)).toEqual([]);
  });

  it('is not edited after it was deleted, also if its stream cannot be ended', async () => {
    const id = await newStream();
    const before = tasks();
    await beginStage(id, 'Secret');
    await suite.pool.query('update alert_sessions set deleted_at = now() where id = $1', [id]);
    suite.slack.fail(STOP, { body: { ok: false, error: 'message_not_in_streaming_state' } });
    await edit();
    await edit();
    expect(tasks()).toEqual(before);
    expect(calls(UPDATE)).toEqual([]);
    expect(await stored(id)).toMatchObject({ streaming: false });
  });

  it('of a long session is shown by edits of the same message after four minutes', async () => {
    const id = await newStream();
    const { stage } = await beginStage(id, 'Triage');
    await edit();
    await age(id);
    await edit();
    expect(streamed()).toHaveLength(1);
    expect(streamed()[0]?.streaming_state).toBe('completed');
    expect(tasks()[0]).toBe('in_progress: Triage');
    await endStage(stage, 'FAILED');
    await endSession(id, 'FAILED');
    await edit();
    await edit();
    expect(tasks()[0]).toBe('error: Triage · failed');
    expect([calls(APPEND).length, calls(STOP).length]).toEqual([1, 1]);
    expect(streamed()).toHaveLength(1);
    expect(await stored(id)).toMatchObject({ shown: expect.stringMatching(/^END:/) });
    const updates = calls(UPDATE).length;
    await edit();
    expect(calls(UPDATE)).toHaveLength(updates);
  });

  it('of a long session is shown as text if Slack refuses the cards outside of streams', async () => {
    const id = await newStream();
    await beginStage(id, 'Triage');
    await edit();
    await age(id);
    suite.slack.fail(UPDATE, { body: { ok: false, error: 'invalid_blocks' } });
    await edit();
    expect(streamed()[0]?.blocks?.[1]?.text.text).toBe(
      'Stage Triage, 0 tool calls so far.\n◐ Triage\n○ Fix &lt;!channel&gt;',
    );
  });

  it.each([
    ['a change', async () => {}],
    ['the end', endSession],
  ])('is shown by an edit if Slack ended the stream before %s', async (_, change) => {
    const id = await newStream();
    suite.slack.expireStreams();
    await beginStage(id, 'Triage');
    await change(id);
    await edit();
    expect(tasks()[0]).toMatch(/^(?:in_progress|error): Triage/);
    expect(plan().title).toMatch(/^(?:Stage Triage|The investigation has ended)/);
    expect(streamed()[0]).toMatchObject({
      metadata: { event_payload: { session_id: id, point: 'PROGRESS' } },
    });
    expect(await stored(id)).toMatchObject({ streaming: false });
    expect(calls(STOP).length).toBeLessThanOrEqual(1);
  });

  it.each(['invalid_chunks', 'msg_too_long'])(
    'ends a stream that refuses a change with %s',
    async (error) => {
      const id = await newStream();
      suite.slack.fail(APPEND, { body: { ok: false, error } });
      await beginStage(id, 'Triage');
      await edit();
      expect(streamed()[0]?.streaming_state).toBe('completed');
      expect(tasks()[0]).toBe('in_progress: Triage');
      expect(await stored(id)).toMatchObject({ streaming: false });
    },
  );
});

describe('a workspace without streams', () => {
  it.each([
    'unknown_method',
    'method_deprecated',
    'channel_type_not_supported',
    'no_permission',
    'missing_recipient_team_id',
  ])('is asked once, and the message about the start is edited (%s)', async (error) => {
    suite.slack.streamRefusal = error;
    const ids = [await newSession(), await newSession()];
    await request();
    for (const id of ids) await attempt(id); // each as another process
    ids.push(await newSession());
    expect((await request()).rowCount).toBe(0);
    expect(calls(START)).toHaveLength(1);
    expect(await stored(ids[0]!)).toMatchObject({ status: 'FAILED', error, attempts: 1 });
    expect(await stored(ids[1]!)).toMatchObject({ status: 'SKIPPED' });
    expect(warned).toEqual([]);
    const { stage, agents } = await beginStage(ids[0]!, 'Triage');
    await callTool(ids[0]!, stage, agents[0]!);
    for (let n = 0; n < 2; n += 1) await edit();
    expect(JSON.stringify(suite.slack.messages[0]?.blocks)).toContain('Stage Triage, 1 tool call so far.');
  });

  it('is asked again after an hour', async () => {
    suite.slack.streamRefusal = 'unknown_method';
    await attempt(await newStream());
    await suite.pool.query(
      `update slack_posts set created_at = now() - interval '61 minutes' where point = 'PROGRESS'`,
    );
    suite.slack.streamRefusal = null;
    await newStream();
    expect(streamed()).toHaveLength(1);
  });

  it('is not assumed if only a thread is gone', async () => {
    suite.slack.fail(START, { body: { ok: false, error: 'thread_not_found' } });
    const id = await newStream();
    expect(await stored(id)).toMatchObject({ status: 'FAILED', error: 'thread_not_found' });
    await newStream();
    expect(streamed()).toHaveLength(1);
  });
});

describe('while a stream shows the calls', () => {
  it('the message about the start names the stage only, for the other users of the channel', async () => {
    const id = await newStream();
    const { stage, agents } = await beginStage(id, 'Triage');
    await edit();
    const updates = calls(UPDATE).length;
    await callTool(id, stage, agents[0]!);
    await edit();
    expect(JSON.stringify(suite.slack.messages[0]?.blocks)).toContain('"Stage Triage."');
    expect(calls(UPDATE)).toHaveLength(updates);
    expect(tasks()[0]).toBe('in_progress: Triage · 1 tool call');
  });
});
