import { afterAll, beforeAll, expect, test } from 'vitest';
import { ENDED } from '../helpers/api.ts';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import { QUICK_TOOLS, scriptInvestigations, type Watched } from './investigation.ts';
import { percentile, report } from './report.ts';
import { scaled } from './scale.ts';

const RUNS = scaled(3, 60);

/** The first sessions load code and open connections. */
const WARM_UP = scaled(1, 5);

let cluster: Cluster;
beforeAll(async () => {
  // As in production, the API and the worker are separate processes. The model and the client run in neither.
  cluster = await startCluster({ tools: QUICK_TOOLS });
  await cluster.startWorker();
});
afterAll(() => cluster.stop());

test('claim latency of an idle queue, and engine overhead per iteration', async () => {
  const calls: Watched[] = [];
  const { api, llm, sql } = cluster;
  scriptInvestigations(llm, (call) => calls.push(call));
  const accepted = new Map<string, number>();
  for (let n = 0; n < WARM_UP + RUNS; n++) {
    const id = await api.submit(`Alert ${n}`);
    accepted.set(rowId(id), performance.now());
    await api.waitFor(id, ({ status }) => ENDED.has(status));
  }
  const { rows } = await sql.query<{ id: string; pickup: number }>(
    `select id, extract(epoch from (started_at - created_at)) * 1000 as pickup
     from alert_sessions where status = 'COMPLETED' order by created_at offset ${WARM_UP}`,
  );
  expect(rows).toHaveLength(RUNS);
  const pickUps = rows.map(({ pickup }) => Number(pickup));
  const measured = new Set(rows.map(({ id }) => id));
  const between = await betweenIterations(calls.filter(({ sessionId }) => measured.has(sessionId)));
  expect(between).toHaveLength(RUNS * 2);
  const first = calls.filter(({ sessionId, iteration }) => iteration === 1 && measured.has(sessionId));
  const untilAsked = first.map(({ sessionId, asked }) => asked - accepted.get(sessionId)!);
  for (const share of [0.5, 0.99]) {
    const p = `p${share * 100}`;
    const pickUp = percentile(pickUps, share);
    const target = { p50: null, p99: 50 }[p] ?? null;
    report({
      name: `pick-up of an idle queue, ${p}`,
      value: pickUp,
      unit: 'ms',
      baseline: target,
      baselineName: target === null ? null : 'target',
    });
    report({
      name: `from an accepted alert to the first call of the model, with the start of an MCP program, ${p}`,
      value: percentile(untilAsked, share),
      unit: 'ms',
      baseline: share === 0.5 ? null : 60,
      baselineName: share === 0.5 ? null : 'target',
    });
    report({
      name: `engine time of an iteration, tool call not counted, ${p}`,
      value: percentile(between, share),
      unit: 'ms',
      baseline: share === 0.5 ? 8 : 30,
      baselineName: 'target',
    });
  }
});

/** Returns the key in the database of a global id. */
const rowId = (id: string): string => Buffer.from(id, 'base64').toString().split(':')[1]!;

/**
 * Returns the time from the end of one model call to the start of the session's next call at the LLM service,
 * without the tool's time (ms).
 */
async function betweenIterations(calls: Watched[]): Promise<number[]> {
  const { rows } = await cluster.sql.query<{ session_id: string; ms: number[] }>(
    `select session_id, array_agg(duration_ms order by created_at) as ms
     from mcp_interactions where type = 'TOOL_CALL' group by session_id`,
  );
  const toolMs = new Map(rows.map(({ session_id, ms }) => [session_id, ms]));
  const key = ({ sessionId, iteration }: Pick<Watched, 'sessionId' | 'iteration'>) =>
    `${sessionId} ${iteration}`;
  const byKey = new Map(calls.map((call) => [key(call), call]));
  const gaps: number[] = [];
  for (const call of calls) {
    const before = byKey.get(key({ ...call, iteration: call.iteration - 1 }));
    if (!before) continue;
    const tool = toolMs.get(call.sessionId)?.[before.iteration - 1] ?? Number.NaN;
    gaps.push(call.asked - (await before.answered) - tool);
  }
  return gaps;
}
