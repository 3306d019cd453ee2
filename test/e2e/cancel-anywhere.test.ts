import { afterEach, expect, test, vi } from 'vitest';
import { ENDED } from '../helpers/api.ts';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import type { ScriptedResponse } from '../helpers/scripted-llm/index.ts';

vi.setConfig({ testTimeout: 120_000 }); // each test starts processes

/**
 * Tests cancelling when the API that receives the request and the worker that must stop are separate
 * processes.
 */
let cluster: Cluster;
afterEach(() => cluster.stop());

interface Tree {
  status: string;
  errorMessage: string | null;
  finalAnalysis: string | null;
  stages: { name: string; status: string; executions: { status: string }[] }[];
  timeline: { type: string; status: string; content: string }[];
}

async function read(id: string): Promise<Tree> {
  const { session } = await cluster.api.query<{ session: Tree }>(
    `query ($id: ID!) { session(id: $id) { status errorMessage finalAnalysis
       stages { name status executions { status } } timeline { type status content } } }`,
    { id },
  );
  return session;
}

const cancel = (id: string) =>
  cluster.api.query<{ cancelSession: { session?: { status: string }; message?: string } }>(
    `mutation ($id: ID!) { cancelSession(id: $id) {
       ... on CancelSessionSuccess { session { status } } ... on Error { message } } }`,
    { id },
  );

const ended = (id: string) => cluster.api.waitFor(id, ({ status }) => ENDED.has(status));

const STAGES = [
  { name: 'collect', agents: [{ name: 'TestAgent' }] },
  { name: 'look', agents: [{ name: 'DiskAgent' }, { name: 'LogAgent' }] },
];
const HANG = [{ text: 'Half of ' }, { hang: true }] as const;

/**
 * Starts an investigation whose model stops answering at the given point. Resolves once the point is reached.
 */
async function hanging(responses: {
  disk?: ScriptedResponse;
  log?: ScriptedResponse;
  rest?: ScriptedResponse;
}) {
  cluster = await startCluster({ agents: { DiskAgent: {}, LogAgent: {} }, stages: STAGES });
  const { llm, api } = cluster;
  llm.route('agent TestAgent', { text: 'Facts.' });
  llm.route('agent DiskAgent', responses.disk ?? { text: 'Disk.' });
  llm.route('agent LogAgent', responses.log ?? { text: 'Log.' });
  llm.route('You combine the results', responses.rest ?? { text: 'Joined.' });
  llm.route('You compose', { text: 'Composed.' });
  llm.otherwise(HANG);
  const worker = await cluster.startWorker();
  return { id: await api.submit('Cancel me'), worker };
}

test('cancels all parallel agents', async () => {
  const { id } = await hanging({ disk: HANG, log: HANG });
  await Promise.all([cluster.llm.call(1), cluster.llm.call(2)]);
  // The worker may end the session before the API reads the session for its answer.
  const told = { status: expect.stringMatching(/^CANCELL(ING|ED)$/) };
  expect(await cancel(id)).toMatchObject({ cancelSession: { session: told } });
  expect(await ended(id)).toMatchObject({ status: 'CANCELLED', finalAnalysis: null });
  const { stages, timeline } = await read(id);
  expect(stages).toEqual([
    { name: 'collect', status: 'COMPLETED', executions: [{ status: 'COMPLETED' }] },
    { name: 'look', status: 'CANCELLED', executions: [{ status: 'CANCELLED' }, { status: 'CANCELLED' }] },
  ]);
  expect(timeline[0]).toMatchObject({ type: 'FINAL_ANALYSIS', status: 'COMPLETED' });
  for (const { status } of timeline.slice(1)) expect(status).toBe('CANCELLED');
});

test('an agent that has finished keeps its result when the parallel agent is cancelled', async () => {
  const { id } = await hanging({ log: HANG });
  const items = cluster.api.subscribe<{
    sessionEvents: { execution?: { agentName: string; status: string } };
  }>(
    `subscription ($id: ID!) { sessionEvents(sessionId: $id) { ... on ExecutionStatusChanged { execution { agentName status } } } }`,
    { id },
  );
  for await (const { sessionEvents } of items) {
    if (sessionEvents.execution?.agentName === 'DiskAgent' && sessionEvents.execution.status === 'COMPLETED')
      break;
  }
  await cancel(id);
  await ended(id);
  expect((await read(id)).stages[1]).toEqual({
    name: 'look',
    status: 'CANCELLED',
    executions: [{ status: 'COMPLETED' }, { status: 'CANCELLED' }],
  });
});

test('cancels a synthesis and keeps the results that it joins', async () => {
  const { id } = await hanging({ rest: HANG });
  await cluster.llm.call(3);
  await cancel(id);
  expect(await ended(id)).toMatchObject({ status: 'CANCELLED' });
  expect((await read(id)).stages.map(({ name, status }) => [name, status])).toEqual([
    ['collect', 'COMPLETED'],
    ['look', 'COMPLETED'],
    ['look - Synthesis', 'CANCELLED'],
  ]);
});

test('a session cancelled during its executive summary keeps its analysis', async () => {
  const { id } = await hanging({});
  await cluster.llm.call(5);
  await cancel(id);
  expect(await ended(id)).toMatchObject({
    status: 'CANCELLED',
    finalAnalysis: 'Composed.',
    executiveSummary: null,
  });
  const { stages, timeline } = await read(id);
  expect(stages.map(({ status }) => status)).toEqual(Array(4).fill('COMPLETED'));
  expect(timeline.at(-1)).toMatchObject({ type: 'EXECUTIVE_SUMMARY', status: 'CANCELLED' });
});

test('a session cancelled between two stages starts no further stage', async () => {
  const { id } = await hanging({ disk: HANG, log: HANG });
  await cluster.api.waitFor(id, ({ status }) => status === 'IN_PROGRESS');
  const items = cluster.api.subscribe<{ sessionEvents: { stage?: { status: string } } }>(
    `subscription ($id: ID!) { sessionEvents(sessionId: $id) { ... on StageStatusChanged { stage { status } } } }`,
    { id },
  );
  for await (const { sessionEvents } of items) if (sessionEvents.stage?.status === 'COMPLETED') break;
  await cancel(id);
  expect(await ended(id)).toMatchObject({ status: 'CANCELLED' });
  const [collect, look, ...more] = (await read(id)).stages;
  expect(collect).toMatchObject({ status: 'COMPLETED' });
  if (look) expect(look.status).toBe('CANCELLED'); // the second stage may have just started
  expect(more).toEqual([]);
});

test('cancels a session that waits for another worker in place, with everything still open', async () => {
  const { id, worker } = await hanging({ disk: HANG, log: HANG });
  await Promise.all([cluster.llm.call(1), cluster.llm.call(2)]);
  await worker.end('SIGTERM');
  expect((await read(id)).status).toBe('PENDING');
  expect(await cancel(id)).toMatchObject({ cancelSession: { session: { status: 'CANCELLED' } } });
  expect((await read(id)).stages[1]).toEqual({
    name: 'look',
    status: 'CANCELLED',
    executions: [{ status: 'CANCELLED' }, { status: 'CANCELLED' }],
  });
});

test('another worker ends a session whose worker died during cancellation', async () => {
  const { id, worker } = await hanging({ disk: HANG, log: HANG });
  await Promise.all([cluster.llm.call(1), cluster.llm.call(2)]);
  worker.child.kill('SIGSTOP'); // the frozen worker receives no notification
  await cancel(id);
  expect((await read(id)).status).toBe('CANCELLING');
  await worker.end('SIGKILL');
  await cluster.startWorker();
  expect(await ended(id)).toMatchObject({ status: 'CANCELLED' });
  const { stages, timeline } = await read(id);
  expect(stages[1]).toMatchObject({
    status: 'CANCELLED',
    executions: [{ status: 'CANCELLED' }, { status: 'CANCELLED' }],
  });
  expect(timeline.filter(({ status }) => status === 'STREAMING')).toEqual([]);
  expect(cluster.llm.calls).toHaveLength(3);
});
