import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ENDED } from '../helpers/api.ts';
import { askQuestion, waitForStageEnd } from '../helpers/chat.ts';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import type { TarsyProcess } from '../helpers/process.ts';
import { untilStreamed } from '../helpers/streamed.ts';

vi.setConfig({ testTimeout: 120_000 }); // each test starts processes

let cluster: Cluster;
let worker: TarsyProcess;
let session: string;
beforeEach(async () => {
  cluster = await startCluster();
  cluster.llm.script({ text: 'The disk is full.' }, { text: 'Summary.' });
  worker = await cluster.startWorker();
  session = await cluster.api.submit('Disk trouble');
  await cluster.api.waitFor(session, ({ status }) => ENDED.has(status));
});
afterEach(() => cluster.stop());

const cancel = () =>
  cluster.api.query(`mutation ($id: ID!) { cancelSession(id: $id) { __typename } }`, { id: session });

/** Reads the stored answer with its agents, and the session. */
async function read() {
  const stored = await cluster.api.query<{
    session: {
      status: string;
      stages: { type: string; status: string; executions: { status: string }[] }[];
      timeline: { status: string }[];
    };
  }>(
    `query ($id: ID!) { session(id: $id) { status stages { type status executions { status } } timeline { status } } }`,
    { id: session },
  );
  return stored.session;
}

test('cancels an answer in its process on every level and leaves the investigation unchanged', async () => {
  cluster.llm.script([{ text: 'Well, ' }, { hang: true }]);
  const stage = await askQuestion(cluster.api, session, 'Why?');
  const call = await cluster.llm.call(2);
  await untilStreamed(cluster.api, session, 'Well, ');
  await cancel();
  await call.ended;
  expect(await waitForStageEnd(cluster.api, session, stage)).toBe('CANCELLED');
  const { status, stages, timeline } = await read();
  expect(status).toBe('COMPLETED');
  expect(stages).toEqual([
    { type: 'INVESTIGATION', status: 'COMPLETED', executions: [{ status: 'COMPLETED' }] },
    { type: 'CHAT', status: 'CANCELLED', executions: [{ status: 'CANCELLED' }] },
  ]);
  expect(timeline.at(-1)).toEqual({ status: 'CANCELLED' });
});

test('a cancelled answer that waits for a worker ends without a model call once a worker is free', async () => {
  await worker.end('SIGTERM');
  const stage = await askQuestion(cluster.api, session, 'Why?');
  await cancel();
  await cluster.startWorker();
  expect(await waitForStageEnd(cluster.api, session, stage)).toBe('CANCELLED');
  expect(cluster.llm.calls).toHaveLength(2);
  // The next question is answered as usual.
  cluster.llm.script({ text: 'Because.' });
  expect(
    await waitForStageEnd(cluster.api, session, await askQuestion(cluster.api, session, 'Why now?')),
  ).toBe('COMPLETED');
});
