import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPool } from '../../src/db/pool.ts';
import { apiClient } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { type Outcome, sendBadRequest } from '../helpers/fuzz/http.ts';
import { createRandom } from '../helpers/fuzz/random.ts';
import { misuseSocket } from '../helpers/fuzz/socket.ts';
import { globalId } from '../helpers/http-api.ts';
import { insertInvestigation } from '../helpers/investigation.ts';

/** The number of requests. `FUZZ_REQUESTS=20000` gives the long run. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 2000);
/** Seed of the run. `FUZZ_SEED` reproduces a run. */
const SEED = Number(process.env.FUZZ_SEED ?? 20_260_112);

const AT_ONCE = 8;

/**
 * Allowed growth of the heap (bytes) from the first to the second half of the requests. More is allowed in a
 * short run, in which caches of parsed documents still fill.
 */
const MAX_GROWTH = (REQUESTS < 10_000 ? 48 : 12) * 1024 * 1024;

let app: TestApp;
let ids: string[];
beforeAll(async () => {
  app = await startTestApp({ role: 'api' });
  const pool = openPool(app.database.url, { application: 'test', logger: app.logger });
  const { session, stage, execution, llm, mcp, chat } = await insertInvestigation(pool);
  await pool.end();
  ids = [
    session,
    globalId('Session', session),
    globalId('Stage', stage),
    globalId('AgentExecution', execution),
    globalId('LlmInteraction', llm),
    globalId('McpInteraction', mcp),
    globalId('Chat', chat),
    globalId('Stage', session),
    globalId('Session', 'x'),
  ];
});
afterAll(() => app.stop());

test(`${REQUESTS} bad requests cause no server error and no memory leak`, {
  timeout: 900_000,
}, async () => {
  const half = Math.ceil(REQUESTS / 2);
  const first = await run(0, half);
  const before = heapUsed();
  const second = await run(half, REQUESTS);
  const growth = heapUsed() - before;

  expect([...first.faults, ...second.faults]).toEqual([]);
  const answered = [...first.statuses, ...second.statuses];
  expect(new Set(answered.map((status) => Math.floor((status ?? 0) / 100)))).toEqual(new Set([0, 1, 2, 4]));
  expect(growth).toBeLessThan(MAX_GROWTH);
  const { alertTypes } = await apiClient(app.url).query<{ alertTypes: unknown[] }>('{ alertTypes { name } }');
  expect(alertTypes).toContainEqual({ name: 'test' });
  process.stdout.write(
    `${REQUESTS} bad requests, heap ${Math.round(growth / 1024)} KiB larger after the second half\n`,
  );
});

/**
 * Sends the requests with the numbers from `start` up to `end`, some in parallel. The seed of each depends on
 * its number.
 */
async function run(start: number, end: number) {
  const faults: Outcome[] = [];
  const statuses: (number | null)[] = [];
  let next = start;
  const port = Number(new URL(app.url).port);
  const work = async () => {
    while (next < end) {
      const random = createRandom(SEED + next++);
      const outcome = await (random.once(4) ? misuseSocket : sendBadRequest)(random, port, ids);
      statuses.push(outcome.status);
      if ((outcome.status ?? 0) >= 500 || outcome.body.includes('"INTERNAL"')) faults.push(outcome);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { faults: faults.slice(0, 10), statuses };
}

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
