import { afterEach, expect, test } from 'vitest';
import { ENDED } from '../helpers/api.ts';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

const SESSIONS = 20;

let cluster: Cluster;
afterEach(() => cluster.stop());

interface Stored {
  status: string;
  finalAnalysis: string;
  stages: { executions: { messages: { role: string }[] }[] }[];
}

test('a rolling restart of all workers during many investigations restarts none of them', {
  timeout: 120_000,
}, async () => {
  cluster = await startCluster({
    // A lease longer than any stall of the machine, because a lost lease would restart its session too.
    queue: { max_concurrent_sessions: SESSIONS, worker_concurrency: SESSIONS, lease_duration: '60s' },
  });
  cluster.llm.otherwise((request) => {
    if (request.tools.length === 0) return { text: 'In short: fine.' };
    const answers = request.messages.filter(({ role }) => role === 'assistant').length;
    if (answers === 0) return [{ text: 'Looking.' }, toolCall('tools.echo', { text: 'once' })];
    return [{ text: 'It is ' }, { gate: 'restarted' }, { text: 'fine.' }];
  });
  const old = await Promise.all([cluster.startWorker(), cluster.startWorker()]);
  const ids = await Promise.all(
    Array.from({ length: SESSIONS }, (_, n) => cluster.api.submit(`Alert number ${n}`)),
  );
  const ended = ids.map((id) => cluster.api.waitFor(id, ({ status }) => ENDED.has(status)));
  // Each investigation has its first tool result and is in the middle of its second response.
  await cluster.llm.reached('restarted', SESSIONS);

  for (const worker of old) {
    await cluster.startWorker();
    await worker.end('SIGTERM');
    expect(worker.child.exitCode).toBe(0);
  }
  cluster.llm.open('restarted');

  expect((await Promise.all(ended)).map(({ status }) => status)).toEqual(ids.map(() => 'COMPLETED'));
  const beginnings = cluster.llm.requests.filter(
    ({ tools, messages }) => tools.length > 0 && !messages.some(({ role }) => role === 'assistant'),
  );
  expect(beginnings).toHaveLength(SESSIONS);
  for (const id of ids) {
    const { session } = await cluster.api.query<{ session: Stored }>(
      `query ($id: ID!) { session(id: $id) { status finalAnalysis
         stages { executions { messages { role } } } } }`,
      { id },
    );
    expect(session.finalAnalysis).toBe('It is fine.');
    const roles = session.stages.flatMap(({ executions }) => executions.flatMap(({ messages }) => messages));
    expect(roles.map(({ role }) => role)).toEqual(['SYSTEM', 'USER', 'ASSISTANT', 'TOOL', 'ASSISTANT']);
  }
});
