import { expect, test } from 'vitest';
import { startCluster } from '../helpers/cluster.ts';
import { startHttpMcp } from '../helpers/mcp/http-server.ts';
import { cpuSeconds } from './children.ts';
import { QUICK_TOOLS, scriptInvestigations } from './investigation.ts';
import { report } from './report.ts';
import { scaled } from './scale.ts';

const SESSIONS = scaled(4, 80);
const AT_ONCE = 16;
const WORKERS = [1, 4];

/** Poll interval for the end of all sessions (ms). */
const LOOK_MS = 20;

test('investigations per second', async () => {
  const figures: { rate: number; cpuMs: number }[] = [];
  for (const workers of WORKERS) figures.push(await measure(workers));
  const [{ rate: one, cpuMs }, { rate: four }] = figures as [(typeof figures)[0], (typeof figures)[0]];
  const unit = 'sessions/s';
  report({
    name: 'investigations by 1 worker process',
    value: one,
    unit,
    baseline: null,
    baselineName: null,
  });
  report({
    name: 'investigations by 4 worker processes',
    value: four,
    unit,
    baseline: one,
    baselineName: '1 worker process',
  });
  report({
    name: 'processor time of the API and 1 worker, an investigation',
    value: cpuMs,
    unit: 'ms',
    baseline: null,
    baselineName: null,
  });
});

test('investigations that each start the program of an MCP server', async () => {
  const { cpuMs } = await measure(1, true);
  report({
    name: 'processor time of the API and 1 worker, an investigation with a program of its own',
    value: cpuMs,
    unit: 'ms',
    baseline: null,
    baselineName: null,
  });
});

/**
 * Measures sessions per second and the cost of each: three iterations with two tool calls over HTTP, and a
 * summary. `isStdio`: the tools are a program that each session starts. The processor time of that program does not count.
 */
async function measure(workers: number, isStdio = false): Promise<{ rate: number; cpuMs: number }> {
  const mcp = await startHttpMcp('bench-token');
  const cluster = await startCluster({
    queue: { max_concurrent_sessions: AT_ONCE, worker_concurrency: AT_ONCE / workers },
    tools: isStdio
      ? QUICK_TOOLS
      : { transport: { type: 'http', url: `${mcp.url}/mcp`, bearer_token: 'bench-token' } },
  });
  try {
    scriptInvestigations(cluster.llm);
    const started = await Promise.all(Array.from({ length: workers }, () => cluster.startWorker()));
    const pids = [cluster.apiProcess, ...started].map(({ child }) => child.pid!);
    const used = async () =>
      (await Promise.all(pids.map(cpuSeconds))).reduce((sum, seconds) => sum + seconds);
    await investigate(AT_ONCE); // loads code and opens connections
    const before = await used();
    const begun = performance.now();
    await investigate(SESSIONS);
    const rate = (SESSIONS * 1000) / (performance.now() - begun);
    return { rate, cpuMs: (((await used()) - before) * 1000) / SESSIONS };
  } finally {
    await cluster.stop();
    await mcp.close();
  }

  async function investigate(count: number): Promise<void> {
    const { rows: before } = await cluster.sql.query('select count(*) from alert_sessions');
    await Promise.all(Array.from({ length: count }, (_, n) => cluster.api.submit(`Alert ${n}`)));
    const all = Number(before[0].count) + count;
    for (;;) {
      const { rows } = await cluster.sql.query<{ status: string; count: string }>(
        `select status, count(*) from alert_sessions where completed_at is not null group by status`,
      );
      expect(rows.map(({ status }) => status).filter((status) => status !== 'COMPLETED')).toEqual([]);
      if (Number(rows[0]?.count) === all) return;
      await new Promise((later) => setTimeout(later, LOOK_MS));
    }
  }
}
