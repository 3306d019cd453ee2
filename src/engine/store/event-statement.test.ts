import pg from 'pg';
import { pino } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/postgres.ts';
import { beginRun, logOf, type RunLog } from '../../../test/helpers/run-log.ts';
import type { Queryable } from '../../db/queryable.ts';
import { CHANNELS, decodeRow } from '../live/event-log.ts';
import { openPublisher, type Publisher, withPublishing } from '../live/publisher.ts';
import { type RowChange, writeRows, writeRowsIf, writeSession } from './event-statement.ts';
import { closeTimelineEvents } from './open-work.ts';
import {
  addUsage,
  beginExecution,
  beginStage,
  changeProvider,
  endExecution,
  endStage,
} from './stages-and-executions.ts';
import { addTimelineEvent, endTimelineEvent, saveTimelineText } from './timeline.ts';

const LONG = { timeout: 20_000, interval: 10 };

let database: TestDatabase;
let sql: pg.Pool;
let listener: pg.Client;
let publisher: Publisher;
let db: Queryable;
let heard: string[];
let run: RunLog;
beforeAll(async () => {
  database = await createTestDatabase();
  sql = new pg.Pool({ connectionString: database.url, max: 4 });
  publisher = openPublisher(database.url, pino({ level: 'silent' }));
  db = withPublishing(sql, publisher);
  listener = new pg.Client({ connectionString: database.url });
  await listener.connect();
  await listener.query(`listen ${CHANNELS.event}`);
  listener.on('notification', ({ payload }) => void heard.push(payload ?? ''));
});
afterAll(async () => {
  await listener.end();
  await publisher.close();
  await sql.end();
  await database.drop();
});
beforeEach(async () => {
  heard = [];
  run = await beginRun(sql, db);
  await hears(); // skip the notices of the previous test
});

/** Waits until all earlier notices have arrived and returns them. */
async function hears(): Promise<string[]> {
  await publisher.publish([{ channel: CHANNELS.event, payload: 'end' }]);
  await expect.poll(() => heard, LONG).toContain('end');
  return heard.splice(0).filter((payload) => payload !== 'end');
}

async function stored(): Promise<{ last: number; log: { seq: number; type: string; payload: object }[] }> {
  const { sessionId } = run.fence;
  const session = await sql.query('select last_event_seq as last from alert_sessions where id = $1', [
    sessionId,
  ]);
  const log = await sql.query(
    'select seq, type, payload from session_events where session_id = $1 order by seq',
    [sessionId],
  );
  return { last: session.rows[0].last, log: log.rows };
}

const authored = (guard: string, author: string) =>
  writeSession(db, run.fence.sessionId, { guard, assign: 'author = $2', values: [author] });

test('concurrent writers number their events without gaps, in commit order', async () => {
  await Promise.all(Array.from({ length: 20 }, () => run.write(1)));
  const { last, log } = await stored();
  expect(last).toBe(20);
  const numbers = Array.from({ length: 20 }, (_, n) => n + 1);
  expect(log.map(({ seq }) => seq)).toEqual(numbers);
  expect(log.map(({ payload }) => (payload as { sequence_number: number }).sequence_number)).toEqual(numbers);
  const told = numbers.map((seq) => `${run.fence.sessionId}:${seq}:TimelineEventCreated`);
  expect((await hears()).sort()).toEqual(told.sort()); // four connections, whose answers may overtake each other
});

test('a writer that waited for another continues its numbers', async () => {
  const client = await sql.connect();
  await client.query('begin');
  await logOf(run.fence, client).write(1);
  const waits = run.write(1);
  const blocked = () =>
    listener.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
  await expect.poll(async () => (await blocked()).rowCount, LONG).toBe(1);
  await client.query('commit');
  client.release();
  await waits;
  const { log } = await stored();
  expect(log).toMatchObject([
    { seq: 1, payload: { sequence_number: 1 } },
    { seq: 2, payload: { sequence_number: 2 } },
  ]);
});

test('a run that lost its session writes and publishes nothing', async () => {
  await sql.query('update alert_sessions set attempt = 2 where id = $1', [run.fence.sessionId]);
  await expect(run.write(1)).rejects.toMatchObject({ code: 'LEASE_LOST' });
  expect(await authored('s.attempt = 1', 'old')).toBeNull();
  expect(await stored()).toEqual({ last: 0, log: [] });
  expect(await hears()).toEqual([]);
});

test('a change without effect logs no event', async () => {
  const id = await run.open();
  await run.complete(id, 'done');
  await run.complete(id, 'again');
  expect((await stored()).log.map(({ type }) => type)).toEqual([
    'TimelineEventCreated',
    'TimelineEventCompleted',
  ]);
});

test('a text saved and ended in one write has ended', async () => {
  const id = await run.open();
  await writeRows(db, run.fence, [
    saveTimelineText(id, 'hal'),
    endTimelineEvent(id, { status: 'COMPLETED', content: 'half' }),
  ]);
  expect((await stored()).log.at(-1)).toMatchObject({
    type: 'TimelineEventCompleted',
    payload: { status: 'COMPLETED', content: 'half' },
  });
});

test('numbers the events of everything closed at once without gaps', async () => {
  for (const text of ['one', 'two', 'three']) await run.open(text);
  await writeRows(db, run.fence, [closeTimelineEvents('CANCELLED')]);
  const { last, log } = await stored();
  expect(last).toBe(6);
  expect(log.slice(3)).toMatchObject(
    ['one', 'two', 'three'].map((content, n) => ({ seq: n + 4, payload: { content, status: 'CANCELLED' } })),
  );
});

test('the end of an event adds to its metadata', async () => {
  const [id, place] = [uuidv7(), { stageId: null, executionId: null }];
  const opened = { type: 'ERROR', status: 'STREAMING', content: '', metadata: { outage: true } } as const;
  await writeRows(db, run.fence, [addTimelineEvent(place, opened, id)]);
  const end = { status: 'COMPLETED', content: 'It is back.', metadata: { waited_ms: 7 } } as const;
  await writeRows(db, run.fence, [endTimelineEvent(id, end)]);
  expect((await stored()).log.at(-1)).toMatchObject({
    payload: { metadata: { outage: true, waited_ms: 7 } },
  });
});

test('an execution keeps the name of its first provider', async () => {
  const [stage, execution] = [uuidv7(), uuidv7()];
  const model = (llmProvider: string) => ({ llmProvider, llmBackend: 'langchain', modelName: llmProvider });
  await writeRows(db, run.fence, [
    beginStage(stage, {
      ...{ name: 'look', index: 1, type: 'INVESTIGATION', parallelType: null, successPolicy: null },
      ...{ expectedAgentCount: 1, referencedStageId: null },
    }),
    beginExecution(execution, {
      ...{ stageId: stage, agentName: 'A', agentIndex: 1, iterationStrategy: 'LANGCHAIN' },
      ...model('first'),
    }),
  ]);
  for (const name of ['second', 'third'])
    await writeRows(db, run.fence, [changeProvider(execution, model(name))]);
  const { rows } = await sql.query(
    'select original_llm_provider as first, llm_provider as last from agent_executions where id = $1',
    [execution],
  );
  expect(rows).toEqual([{ first: 'first', last: 'third' }]);
});

test('saving a text logs no event', async () => {
  const id = await run.open();
  await writeRows(db, run.fence, [saveTimelineText(id, 'hal')]);
  const { last, log } = await stored();
  expect([last, log.length]).toEqual([1, 1]);
  const { rows } = await sql.query('select status, content from timeline_events where id = $1', [id]);
  expect(rows).toEqual([{ status: 'STREAMING', content: 'hal' }]);
});

test('a failed write leaves nothing', async () => {
  const nowhere = { stageId: null, executionId: null };
  const item = (id?: string) =>
    addTimelineEvent(nowhere, { type: 'ERROR', status: 'COMPLETED', content: 'x' }, id);
  await expect(writeRows(db, run.fence, [item(), item('no id')])).rejects.toMatchObject({ code: '22P02' });
  expect(await stored()).toEqual({ last: 0, log: [] });
  expect(await hears()).toEqual([]);
});

test('numbers beginnings before ends within one statement', async () => {
  const [stage, execution, thought] = [uuidv7(), uuidv7(), await run.open('hm')];
  const place = { stageId: stage, executionId: execution };
  const item = (content: string): RowChange =>
    addTimelineEvent(place, { type: 'ERROR', status: 'COMPLETED', content });
  const named = { name: 'look', type: 'INVESTIGATION', parallelType: null, successPolicy: null } as const;
  const agent = {
    iterationStrategy: 'LANGCHAIN',
    llmProvider: 'p',
    llmBackend: 'b',
    modelName: 'm',
  } as const;
  await writeRows(db, run.fence, [
    item('first'),
    endTimelineEvent(thought, { status: 'COMPLETED', content: 'hm.', metadata: { done: true } }),
    beginExecution(execution, { ...agent, stageId: stage, agentName: 'a', agentIndex: 1 }),
    beginStage(stage, { ...named, index: 1, expectedAgentCount: 1, referencedStageId: null }),
    item('second'),
  ]);
  const tokens = {
    ...{ inputTokens: 1, outputTokens: 2, thinkingTokens: 3, totalTokens: 6 },
    ...{ cachedReadTokens: 4, cacheWriteTokens: 5, costUsd: 0.25 },
  };
  const outcome = { status: 'FAILED', errorMessage: 'no\0thing' } as const;
  await writeRows(db, run.fence, [addUsage(execution, tokens)]);
  await writeRows(db, run.fence, [
    endStage(stage, outcome),
    addUsage(execution, tokens),
    endExecution(execution, outcome),
    addUsage(execution, tokens),
  ]);
  const { last, log } = await stored();
  expect(last).toBe(8);
  expect(log.slice(1)).toMatchObject([
    { seq: 2, type: 'StageStatusChanged', payload: { id: stage, status: 'ACTIVE' } },
    { seq: 3, type: 'ExecutionStatusChanged', payload: { id: execution, status: 'ACTIVE' } },
    { seq: 4, type: 'TimelineEventCompleted', payload: { content: 'hm.', metadata: { done: true } } },
    { seq: 5, type: 'TimelineEventCreated', payload: { content: 'first', sequence_number: 2 } },
    { seq: 6, type: 'TimelineEventCreated', payload: { content: 'second', sequence_number: 3 } },
    {
      seq: 7,
      type: 'ExecutionStatusChanged',
      payload: { status: 'FAILED', total_tokens: 18, cache_write_tokens: 15, cost_usd: 0.75 },
    },
    { seq: 8, type: 'StageStatusChanged', payload: { status: 'FAILED', error_message: 'no\ufffdthing' } },
  ]);
  const { sessionId } = run.fence;
  expect(await hears()).toEqual(log.map(({ seq, type }) => `${sessionId}:${seq}:${type}`));
});

test('concurrent writes of a run continue each other’s numbers', async () => {
  const texts = await Promise.all(Array.from({ length: 20 }, (_, n) => run.open(`${n}`)));
  await Promise.all(texts.map((id, n) => run.complete(id, `${n}.`)));
  const { last, log } = await stored();
  expect([last, log.length]).toEqual([40, 40]);
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, n) => n + 1));
});

test('returns null and writes nothing if the condition does not hold', async () => {
  const nowhere = { stageId: null, executionId: null };
  const item = addTimelineEvent(nowhere, { type: 'ERROR', status: 'COMPLETED', content: 'x' });
  const { sessionId } = run.fence;
  expect(await writeRowsIf(db, sessionId, { guard: 's.author = $2', values: ['nobody'] }, [item])).toBeNull();
  expect(await writeRowsIf(db, sessionId, { guard: 's.attempt = $2', values: [1] }, [item])).toMatchObject([
    { type: 'TimelineEventCreated', row: { content: 'x' } },
  ]);
  expect((await stored()).last).toBe(1);
});

test('returns the row of the event, without the alert text', async () => {
  const row = await authored('true', 'somebody');
  const { log } = await stored();
  expect(row).toMatchObject({ author: 'somebody', lastEventSeq: 1, createdAt: expect.any(Date) });
  expect(row).not.toHaveProperty('alertData');
  expect(decodeRow(log[0]!.payload as Record<string, unknown>)).toEqual(row);
});
