import { afterEach, expect, test, vi } from 'vitest';
import { ENDED } from '../helpers/api.ts';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import { follow, newFollower } from '../helpers/follower.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';
import { untilStreamed } from '../helpers/streamed.ts';

vi.setConfig({ testTimeout: 120_000 }); // each test starts several processes

let cluster: Cluster;
afterEach(() => cluster.stop());

const isEnd = (status: string) => ENDED.has(status);

interface Stored {
  status: string;
  stages: {
    name: string;
    index: number;
    status: string;
    executions: { status: string; messages: { role: string }[] }[];
  }[];
  timeline: { id: string; sequenceNumber: number; type: string; status: string; content: string }[];
}

async function read(id: string): Promise<Stored> {
  const { session } = await cluster.api.query<{ session: Stored }>(
    `query ($id: ID!) { session(id: $id) { status
       stages { name index status executions { status messages { role } } }
       timeline { id sequenceNumber type status content } } }`,
    { id },
  );
  return session;
}

const agent = [{ name: 'TestAgent' }];
const TWO_STAGES = [
  { name: 'collect', agents: agent },
  { name: 'explain', agents: agent },
];

/**
 * Runs two stages up to the gate `broken`, which is in the second response of the second stage, after a tool
 * call.
 */
async function brokenInSecondStage() {
  cluster = await startCluster({ stages: TWO_STAGES });
  cluster.llm.script(
    { text: 'Facts.' },
    [{ text: 'Looking.' }, toolCall('tools.echo', { text: 'once' })],
    [{ text: 'Half of the ' }, { gate: 'broken' }, { text: 'never said' }],
    // consumed by the run that resumes
    { text: 'The whole analysis.' },
    { text: 'Both, composed.' },
    { text: 'Summary.' },
  );
  const worker = await cluster.startWorker();
  const id = await cluster.api.submit('Go on after me');
  const follower = newFollower();
  const following = follow(cluster.api, id, follower, { isEnd });
  await untilStreamed(cluster.api, id, 'Half of the ');
  return { id, worker, follower, following };
}

function expectContinued(stored: Stored): void {
  expect(stored.stages.map(({ name, index, status }) => [name, index, status])).toEqual([
    ['collect', 1, 'COMPLETED'],
    ['explain', 2, 'COMPLETED'],
    ['Final analysis', 3, 'COMPLETED'],
  ]);
  expect(stored.stages.flatMap(({ executions }) => executions.map(({ status }) => status))).toEqual([
    ...['COMPLETED', 'COMPLETED', 'COMPLETED'],
  ]);
  expect(stored.stages[1]!.executions[0]!.messages.map(({ role }) => role)).toEqual([
    'SYSTEM',
    'USER',
    'ASSISTANT',
    'TOOL',
    'ASSISTANT',
  ]);
  expect(stored.timeline.map(({ type, status }) => [type, status])).toEqual([
    ['FINAL_ANALYSIS', 'COMPLETED'],
    ['LLM_RESPONSE', 'COMPLETED'],
    ['LLM_TOOL_CALL', 'COMPLETED'],
    ['LLM_RESPONSE', 'CANCELLED'],
    ['FINAL_ANALYSIS', 'COMPLETED'],
    ['FINAL_ANALYSIS', 'COMPLETED'],
    ['EXECUTIVE_SUMMARY', 'COMPLETED'],
  ]);
  expect(stored.timeline.map(({ sequenceNumber }) => sequenceNumber)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  cluster.llm.assertNoUnusedScripts();
}

test('another worker resumes in the middle of the stage after the worker is killed', async () => {
  const { id, worker, follower, following } = await brokenInSecondStage();
  await worker.end('SIGKILL');
  await cluster.startWorker();
  await following;
  const stored = await read(id);
  expect(stored.status).toBe('COMPLETED');
  expectContinued(stored);
  expect(new Set(follower.cursors).size).toBe(follower.cursors.length);
  for (const { id: eventId, type, content } of stored.timeline) {
    expect(follower.texts.get(eventId)?.final).toEqual({ content, type });
  }
});

test('completes a conversation whose worker was killed between the two opening messages', async () => {
  cluster = await startCluster();
  cluster.llm.script({ hang: true }, { text: 'Found.' }, { text: 'Summary.' });
  const worker = await cluster.startWorker();
  const id = await cluster.api.submit('Disk full');
  await cluster.llm.call(0);
  await worker.end('SIGKILL');
  // The state that a worker leaves if it is killed before this write.
  await cluster.sql.query(`delete from messages where role = 'USER'`);
  await cluster.startWorker();
  await cluster.api.waitFor(id, ({ status }) => isEnd(status));
  const roles = cluster.llm.requests[1]!.messages.map(({ role }) => role);
  expect(roles).toEqual(['system', 'user']);
  expect(cluster.llm.requests[1]!.messages[1]!.content).toContain('Disk full');
  expect((await read(id)).stages[0]!.executions[0]!.messages.map(({ role }) => role)).toEqual([
    'SYSTEM',
    'USER',
    'ASSISTANT',
  ]);
});

test('requests the forced conclusion once if the worker is killed while it waits for it', async () => {
  cluster = await startCluster({ defaults: { max_iterations: 1 } });
  cluster.llm.script(
    toolCall('tools.echo', { text: 'once' }),
    { hang: true },
    { text: 'What I know.' },
    {
      text: 'Summary.',
    },
  );
  const worker = await cluster.startWorker();
  const id = await cluster.api.submit('Conclude');
  await cluster.llm.call(1);
  await worker.end('SIGKILL');
  await cluster.startWorker();
  expect(await cluster.api.waitFor(id, ({ status }) => isEnd(status))).toMatchObject({
    finalAnalysis: 'What I know.',
  });
  const { messages } = (await read(id)).stages[0]!.executions[0]!;
  expect(messages.map(({ role }) => role)).toEqual([
    'SYSTEM',
    'USER',
    'ASSISTANT',
    'TOOL',
    'USER',
    'ASSISTANT',
  ]);
});

test('a worker that is asked to stop hands its session over at once', async () => {
  const { id, worker, following } = await brokenInSecondStage();
  await worker.end('SIGTERM');
  expect((await read(id)).status).toBe('PENDING');
  await cluster.startWorker();
  await following;
  expectContinued(await read(id));
});

test('a worker that was frozen writes nothing after it thaws', async () => {
  const { id, worker, following } = await brokenInSecondStage();
  worker.child.kill('SIGSTOP');
  await cluster.startWorker();
  await following;
  const before = await read(id);
  worker.child.kill('SIGCONT');
  cluster.llm.open('broken'); // lets the model of the frozen worker continue to stream
  await worker.end('SIGTERM');
  expect(await read(id)).toEqual(before);
  expectContinued(before);
});

test('a session whose workers are lost repeatedly fails with the reason', async () => {
  cluster = await startCluster({ queue: { max_attempts: 2 } });
  cluster.llm.otherwise([{ text: 'Never ends' }, { hang: true }]);
  const id = await cluster.api.submit('Poison');
  const waiting = cluster.api.waitFor(id, ({ status }) => ENDED.has(status));
  for (const index of [0, 1]) {
    const worker = await cluster.startWorker();
    await cluster.llm.call(index);
    await worker.end('SIGKILL');
  }
  await cluster.startWorker();
  expect(await waiting).toMatchObject({
    status: 'FAILED',
    errorMessage: expect.stringContaining('lost 2 times'),
  });
  const stored = await read(id);
  expect(stored.stages).toMatchObject([{ status: 'FAILED', executions: [{ status: 'FAILED' }] }]);
  expect(stored.timeline.filter(({ status }) => status === 'STREAMING')).toEqual([]);
});

test('subscribers do not notice a cut event connection', async () => {
  cluster = await startCluster();
  await cluster.startWorker();
  const pieces = Array.from({ length: 200 }, (_, n) => `piece ${n} `);
  cluster.llm.script([{ text: pieces.slice(0, 100) }, { gate: 'cut' }, { text: pieces.slice(100) }], {
    text: 'Summary.',
  });
  const id = await cluster.api.submit('Cut my connection');
  const follower = newFollower();
  const following = follow(cluster.api, id, follower, { isEnd });
  await cluster.llm.reached('cut');
  const cut = await cluster.sql.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tarsy-listen' and datname = current_database()`,
  );
  expect(cut.rowCount).toBe(2);
  cluster.llm.open('cut');
  await following;
  const stored = await read(id);
  expect(stored.timeline[0]!.content).toBe(pieces.join(''));
  const [text] = follower.texts.values();
  expect(text!.pieces.reduce((joined, { offset, delta }) => joined.slice(0, offset) + delta, '')).toBe(
    pieces.join(''),
  );
  expect(new Set(follower.cursors).size).toBe(follower.cursors.length);
});

test('never runs more sessions than slots across all workers, and all of them run', async () => {
  cluster = await startCluster({ queue: { max_concurrent_sessions: 2, worker_concurrency: 2 } });
  await Promise.all([cluster.startWorker(), cluster.startWorker(), cluster.startWorker()]);
  cluster.llm.route(
    (request) => request.tools.length > 0,
    ...Array.from({ length: 6 }, () => [{ gate: 'slots' }, { text: 'Done.' }]),
  );
  cluster.llm.otherwise({ text: 'Summary.' });
  const ids = await Promise.all(Array.from({ length: 6 }, (_, n) => cluster.api.submit(`Alert ${n}`)));
  await cluster.llm.reached('slots', 2);
  const running = await cluster.sql.query(
    `select count(*) filter (where status = 'IN_PROGRESS') as running, count(*) filter (where dispatched_at is not null) as slots
     from alert_sessions`,
  );
  expect(running.rows).toEqual([{ running: '2', slots: '2' }]);

  await cluster.sql.query(`create table peaks (running int)`);
  await cluster.sql.query(`create function note_peak() returns trigger language plpgsql as $$ begin
    insert into peaks select count(*) from alert_sessions where status = 'IN_PROGRESS'; return null; end $$`);
  await cluster.sql.query(
    `create trigger note_peak after update of status on alert_sessions for each statement execute function note_peak()`,
  );
  const all = Promise.all(ids.map((id) => cluster.api.waitFor(id, ({ status }) => ENDED.has(status))));
  cluster.llm.open('slots');
  expect((await all).map(({ status }) => status)).toEqual(ids.map(() => 'COMPLETED'));
  const peak = await cluster.sql.query('select max(running) as peak from peaks');
  expect(peak.rows).toEqual([{ peak: 2 }]);
});
