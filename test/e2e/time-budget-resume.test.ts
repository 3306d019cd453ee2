import { afterEach, expect, test } from 'vitest';
import { ENDED } from '../helpers/api.ts';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

/** A lease that outlasts any pause of the machine. A test ends it together with its worker. */
const QUEUE = { session_timeout: '60s', lease_duration: '60s' };

let cluster: Cluster;
afterEach(() => cluster.stop());

/**
 * Starts a worker that is killed at the gate, and another one as soon as the first model call of the session that hangs
 * has begun. Little time is left at the gate, and a busy machine needs seconds to start a process.
 */
async function replaceWorkerAt(gate: string, hangingCall: number): Promise<string> {
  const worker = await cluster.startWorker();
  const id = await cluster.api.submit('Trouble');
  await cluster.llm.call(hangingCall);
  await cluster.startWorker();
  await cluster.llm.reached(gate);
  await worker.end('SIGKILL');
  await cluster.sql.query(`update alert_sessions set lease_expires_at = now() - interval '1 second'`);
  return id;
}

test('a worker killed during the conclusion is replaced by one that concludes within the same time', {
  timeout: 180_000,
}, async () => {
  cluster = await startCluster({ queue: QUEUE });
  cluster.llm.script(
    toolCall('tools.echo', { text: 'var is full' }),
    { hang: true },
    [{ text: 'It is ' }, { gate: 'concluding' }],
    { text: 'var is full.' },
    { text: 'Summary.' },
  );
  const id = await replaceWorkerAt('concluding', 1);
  const session = await cluster.api.waitFor(id, ({ status }) => ENDED.has(status));
  expect(session).toMatchObject({
    status: 'COMPLETED',
    finalAnalysis: 'var is full.',
    executiveSummary: 'Summary.',
  });
  const { session: stored } = await cluster.api.query<{
    session: {
      health: { earlyConclusions: { reason: string }[]; resumed: number };
      stages: { executions: { messages: { role: string; content: string }[] }[] }[];
    };
  }>(
    `query ($id: ID!) { session(id: $id) { health { earlyConclusions { reason } resumed }
       stages { executions { messages { role content } } } } }`,
    { id },
  );
  expect(stored.health).toEqual({ earlyConclusions: [{ reason: 'TIME_BUDGET' }], resumed: 1 });
  const { messages } = stored.stages[0]!.executions[0]!;
  expect(messages.map(({ role }) => role)).toEqual([
    ...['SYSTEM', 'USER', 'ASSISTANT', 'TOOL', 'USER', 'USER', 'ASSISTANT'],
  ]);
  // A new time limit would have let the agent work on.
  expect(cluster.llm.requests.map(({ purpose }) => purpose)).toEqual([
    ...['iteration', 'iteration', 'forced_conclusion', 'forced_conclusion', 'executive_summary'],
  ]);
});

test('a stage that was left out stays out after a crash, and the report is written once', {
  timeout: 180_000,
}, async () => {
  const agents = [{ name: 'TestAgent' }];
  cluster = await startCluster({
    queue: QUEUE,
    defaults: { report: { enabled: true } },
    stages: [
      { name: 'look', agents },
      { name: 'heal', agents },
    ],
  });
  const gap = { kind: 'GAP', text: 'The cause is not known.', citations: [], facts: [] };
  const report = {
    verdict: 'INCONCLUSIVE',
    headline: 'Not known.',
    confidence: 0,
    entities: [],
    claims: [gap],
  };
  cluster.llm.script(
    { hang: true },
    { text: 'var is full.' },
    [{ gate: 'reporting' }],
    toolCall('submit_report', report),
    { text: 'Summary.' },
  );
  const id = await replaceWorkerAt('reporting', 0);
  const session = await cluster.api.waitFor(id, ({ status }) => ENDED.has(status));
  const finalAnalysis = 'var is full.\n\nNot run, because the time was nearly used up: heal.';
  expect(session).toMatchObject({ status: 'COMPLETED', finalAnalysis, executiveSummary: 'Summary.' });
  const { rows } = await cluster.sql.query('select name, status from stages order by index');
  expect(rows).toEqual([
    { name: 'look', status: 'COMPLETED' },
    { name: 'Report', status: 'COMPLETED' },
  ]);
  cluster.llm.assertNoUnusedScripts();
});
