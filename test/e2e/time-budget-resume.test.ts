import { afterEach, expect, test } from 'vitest';
import { ENDED } from '../helpers/api.ts';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

let cluster: Cluster;
afterEach(() => cluster.stop());

test('a worker killed during the conclusion is replaced by one that concludes within the same time', {
  timeout: 180_000,
}, async () => {
  cluster = await startCluster({ queue: { session_timeout: '60s' } });
  cluster.llm.script(
    toolCall('tools.echo', { text: 'var is full' }),
    { hang: true },
    [{ text: 'It is ' }, { gate: 'concluding' }],
    { text: 'var is full.' },
    { text: 'Summary.' },
  );
  const worker = await cluster.startWorker();
  const id = await cluster.api.submit('Trouble');
  await cluster.llm.reached('concluding');
  await worker.end('SIGKILL');
  await cluster.startWorker();
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
    queue: { session_timeout: '60s' },
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
  const worker = await cluster.startWorker();
  const id = await cluster.api.submit('Trouble');
  await cluster.llm.reached('reporting');
  await worker.end('SIGKILL');
  await cluster.startWorker();
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
