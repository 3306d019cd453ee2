import { expect, test } from 'vitest';
import { startCluster } from '../helpers/cluster.ts';
import { report } from './report.ts';

const LEASE_MS = 3000;

test.each(['SIGKILL', 'SIGTERM'] as const)('time until an investigation resumes after %s', async (signal) => {
  const cluster = await startCluster({
    queue: { lease_duration: `${LEASE_MS}ms`, heartbeat_interval: '500ms' },
  });
  try {
    cluster.llm.otherwise([{ text: 'Working' }, { hang: true }]);
    const [first, second] = [await cluster.startWorker(), await cluster.startWorker()];
    await cluster.api.submit('Go on');
    const call = await cluster.llm.call(0);
    const { rows } = await cluster.sql.query<{ pid: string }>(
      `select split_part(worker_id, ':', 2) as pid from alert_sessions`,
    );
    const owner = [first, second].find(({ child }) => String(child.pid) === rows[0]!.pid)!;
    const begun = performance.now();
    await owner.end(signal);
    await cluster.llm.call(1);
    const resumed = performance.now() - begun;
    expect(call.index).toBe(0);
    const lease = signal === 'SIGKILL' ? LEASE_MS : 0;
    report({
      name: `resume after ${signal}`,
      value: resumed,
      unit: 'ms',
      baseline: lease || null,
      baselineName: lease ? 'lease time' : null,
    });
  } finally {
    await cluster.stop();
  }
});
