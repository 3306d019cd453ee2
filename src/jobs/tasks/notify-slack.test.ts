import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { insertRow, insertSession } from '../../../test/helpers/http-api.ts';
import { createTestPool, type TestPool } from '../../../test/helpers/postgres.ts';
import { uuidv7 } from '../../common/uuidv7.ts';
import {
  areSlackPostsBehind,
  enqueueSlackPost,
  renewSlackPosts,
  requestSlackNews,
  requestSlackPost,
  resumeSlackPosts,
} from './notify-slack.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterEach(async () => {
  await pool.query('truncate alert_sessions, cases cascade');
  await pool.query('delete from graphile_worker._private_jobs');
});
afterAll(() => pool.drop());

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000);

/** Inserts a message about the end of a session. Returns the key of its job. */
async function message(row: Record<string, unknown>): Promise<string> {
  const sessionId = await insertSession(pool);
  const given = Object.entries({ session_id: sessionId, point: 'TERMINAL', ...row });
  await pool.query(
    `insert into slack_posts (${given.map(([name]) => name)}) values (${given.map((_, n) => `$${n + 1}`)})`,
    given.map(([, value]) => value),
  );
  return `notify-slack:${sessionId}:TERMINAL`;
}
const sessionOf = (job: string) => job.split(':')[1]!;

async function jobs(): Promise<string[]> {
  const { rows } = await pool.query<{ key: string }>('select key from graphile_worker.jobs order by id');
  return rows.map(({ key }) => key);
}

async function points(sessionId: string): Promise<string[]> {
  const { rows } = await pool.query<{ point: string }>(
    'select point from slack_posts where session_id = $1 order by point',
    [sessionId],
  );
  return rows.map(({ point }) => point);
}

test('a message whose attempt is overdue gets another job, one that has ended or waits does not', async () => {
  const overdue = await message({ due_at: inSeconds(-60) });
  await message({ due_at: inSeconds(-5) });
  await message({ due_at: inSeconds(-60), status: 'POSTED' });
  await renewSlackPosts(pool);
  expect(await jobs()).toEqual([overdue]);
});

test('messages that failed follow at once when Slack is back, those of running attempts do not', async () => {
  const failed = await message({ due_at: inSeconds(3_600), error: 'unreachable' });
  await message({ due_at: inSeconds(60) });
  await message({ due_at: inSeconds(3_600), error: 'channel_not_found', status: 'FAILED' });
  expect(await areSlackPostsBehind(pool)).toBe(true);
  await resumeSlackPosts(pool);
  expect(await jobs()).toEqual([failed]);
  expect(await areSlackPostsBehind(pool)).toBe(false);
  await resumeSlackPosts(pool);
  const { rows } = await pool.query('select revision from graphile_worker.jobs');
  expect(rows).toEqual([{ revision: 0 }]);
});

test('a message that has ended gets no job', async () => {
  const [waiting, posted] = [await message({}), await message({ status: 'POSTED' })];
  for (const job of [waiting, posted]) await enqueueSlackPost(pool, sessionOf(job), 'TERMINAL');
  expect(await jobs()).toEqual([waiting]);
});

test('the end of a session is told once, the end of a replay never', async () => {
  const [session, replay] = [await insertSession(pool), await insertSession(pool)];
  const caseId = await insertRow(pool, 'cases', {
    ...{ name: 'n', document: '""', hash: 'h', alert_type: 'test', world: 'OPEN', max_unrecorded_calls: 5 },
    ...{ recorded_calls: 0, created_by: 'me', expectation: '{}' },
  });
  await insertRow(pool, 'replays', {
    ...{ case_id: caseId, session_id: replay, provider: 'p', model: 'm', config_hash: 'h', created_by: 'me' },
  });
  for (const id of [session, session, replay]) await requestSlackPost(pool, id, 'TERMINAL');
  expect([await points(session), await points(replay)]).toEqual([['TERMINAL'], []]);
  expect(await jobs()).toEqual([`notify-slack:${session}:TERMINAL`]);
});

test('a call that waits for approval is told once, unless its time is over or its session was deleted', async () => {
  const asked = (session: string, expiresAt: Date, status = 'PENDING') =>
    insertRow(pool, 'approvals', {
      ...{ session_id: session, stage_id: uuidv7(), execution_id: uuidv7(), timeline_event_id: uuidv7() },
      ...{ message_sequence: 1, tool_call_id: 'c', server: 's', tool: 't', arguments: '{}', policy: 'p' },
      ...{ arguments_hash: 'h', schema_hash: 'h', provenance: '[]', required_approvals: 1 },
      ...{ expires_at: expiresAt, status },
    });
  const [open, deleted] = [await insertSession(pool), await insertSession(pool, { deleted_at: new Date() })];
  const waiting = await asked(open, inSeconds(3_600));
  await asked(open, inSeconds(-1));
  await asked(open, inSeconds(3_600), 'APPROVED');
  await asked(deleted, inSeconds(3_600));
  for (let round = 0; round < 2; round += 1) await requestSlackNews(pool);
  expect([await points(open), await points(deleted)]).toEqual([[`APPROVAL:${waiting}`], []]);
  expect(await jobs()).toEqual([`notify-slack:${open}:APPROVAL:${waiting}`]);
});
