import { Pool } from 'pg';
import { afterEach, expect, test } from 'vitest';
import { ENDED } from '../helpers/api.ts';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

/** A lease that outlasts any pause of the machine, because a run that is repeated would take the next response. */
const LONG_LEASE = { queue: { lease_duration: '60s' } };

let cluster: Cluster;
afterEach(() => cluster.stop());

test("returns a provider's opaque turn data, also from another worker after a crash, and exposes it nowhere", {
  timeout: 120_000,
}, async () => {
  cluster = await startCluster({});
  cluster.llm.script(
    [{ text: 'Looking.' }, toolCall('tools.fail', { text: 'x' }), { providerTurn: 'signed-by-the-model' }],
    [{ gate: 'broken' }, { text: 'never said' }],
    [{ text: 'Found it.' }],
    { text: 'Summary.' },
  );
  const worker = await cluster.startWorker();
  const id = await cluster.api.submit('Trouble');
  await cluster.llm.reached('broken', 1);
  await cluster.startWorker();
  await worker.end('SIGKILL');
  const ended = await cluster.api.waitFor(id, ({ status }) => ENDED.has(status));
  expect(ended).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'Found it.' });

  const [, before, after] = cluster.llm.requests;
  for (const request of [before!, after!]) {
    const answer = request.messages.find(({ role }) => role === 'assistant');
    expect(answer?.providerTurn.toString()).toBe('signed-by-the-model');
    expect(request.messages.find(({ role }) => role === 'tool')?.failed).toBe(true);
  }
  expect(await stored()).not.toContain('signed-by-the-model');
});

test('shows in the timeline what the LLM service waits for, until the answer arrives', async () => {
  cluster = await startCluster(LONG_LEASE);
  cluster.llm.script(
    [
      { waiting: { reason: 'The provider is busy (HTTP 503)', code: 'provider_unavailable', seconds: 2 } },
      { waiting: { reason: 'at work' } },
      { text: 'Found it.' },
    ],
    { text: 'Summary.' },
  );
  await cluster.startWorker();
  const id = await cluster.api.submit('Trouble');
  await cluster.api.waitFor(id, ({ status }) => ENDED.has(status));
  const { session } = await cluster.api.query<{
    session: { timeline: { type: string; status: string; content: string }[] };
  }>('query ($id: ID!) { session(id: $id) { timeline { type status content } } }', { id });
  expect(session.timeline.slice(0, 2)).toEqual([
    {
      type: 'ERROR',
      status: 'COMPLETED',
      content: 'The provider is busy (HTTP 503). Retrying in 2 s.\n',
    },
    { type: 'FINAL_ANALYSIS', status: 'COMPLETED', content: 'Found it.' },
  ]);
});

test('abandons a model at once that demands a longer wait than allowed', async () => {
  cluster = await startCluster(LONG_LEASE);
  const error = {
    code: 'rate_limited',
    message: 'The quota is used up',
    retryable: true,
    retryAfterSeconds: 86_400,
  };
  cluster.llm.script([{ error }]);
  await cluster.startWorker();
  const id = await cluster.api.submit('Trouble');
  const ended = await cluster.api.waitFor(id, ({ status }) => ENDED.has(status));
  expect(ended).toMatchObject({
    status: 'FAILED',
    errorMessage: expect.stringContaining('The quota is used up'),
  });
  expect(cluster.llm.requests).toHaveLength(1);
});

/** Returns all rows of the messages table as text. */
async function stored(): Promise<string> {
  const pool = new Pool({ connectionString: cluster.database.url });
  try {
    const { rows } = await pool.query<{ text: string }>(
      "select to_jsonb(m)::text || encode(decode(coalesce(provider_turn, ''), 'base64'), 'escape') as text from messages m",
    );
    return rows.map(({ text }) => text).join('\n');
  } finally {
    await pool.end();
  }
}
