import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ENDED } from '../helpers/api.ts';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import { endedScore, handedIn, requestScore } from '../helpers/scores.ts';

vi.setConfig({ testTimeout: 120_000 }); // the test starts processes

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster({
    defaults: { scoring: { enabled: true } },
    queue: { lease_duration: '60s' }, // a lease that expires would start the score again
  });
});
afterEach(() => cluster.stop());

test("another worker completes a score once after the judge's worker is killed", async () => {
  const { api, llm, sql } = cluster;
  const worker = await cluster.startWorker();
  const investigation = [{ text: 'The disk is full.' }, { text: 'In short: full.' }];
  llm.script(...investigation, { hang: true }, handedIn('Made by another.'));
  const id = await api.submit('disk of db-1 at 91%');
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  await llm.call(investigation.length);
  await worker.end('SIGKILL');
  await sql.query(`update scores set lease_expires_at = now() - interval '1 second'`);
  const second = await cluster.startWorker();
  const found = await endedScore(api, id);
  expect(found).toMatchObject({ status: 'COMPLETED', analysis: 'Made by another.', requestedBy: 'auto' });
  expect((await sql.query('select 1 from scores')).rows).toHaveLength(1);

  // A worker that stops hands the score over to another worker.
  llm.script([{ gate: 'stay' }, handedIn('Told to nobody.')], handedIn('Handed over.'));
  await requestScore(api, id);
  await llm.reached('stay');
  await cluster.startWorker();
  await second.end('SIGTERM');
  expect(await endedScore(api, id, [found.id])).toMatchObject({
    status: 'COMPLETED',
    analysis: 'Handed over.',
  });
  const { rows } = await sql.query('select attempt, workers_lost as lost from scores order by id');
  expect(rows).toEqual([
    { attempt: 2, lost: 1 },
    { attempt: 2, lost: 0 },
  ]);
  llm.assertNoUnusedScripts();
});
