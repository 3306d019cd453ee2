import type { ChildProcess } from 'node:child_process';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testConfig, writeConfig } from '../helpers/config.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/postgres.ts';
import { startProcess } from '../helpers/process.ts';
import { forkBench } from './children.ts';
import { type Measured, measureFanOut } from './fanout/measure.ts';
import { percentile, report } from './report.ts';
import { scaled } from './scale.ts';

const COUNT = scaled(20, 1000);
const SECONDS = scaled(1, 5);
const ROUNDS = scaled(1, 3);
const TEAMS = ['red', 'green', 'blue'];

let database: TestDatabase;
let pool: pg.Pool;
let clients: ChildProcess;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 2 });
  clients = forkBench(import.meta.resolve('./fanout/clients.ts'));
});
afterAll(async () => {
  clients.kill();
  await pool.end();
  await database.drop();
});

/**
 * Compares subscribers of several teams with those of one team. The server builds a message once per
 * visibility scope, and sends it once per subscriber.
 */
test('fan-out to subscribers of several teams, against one team', { timeout: 600_000 }, async () => {
  const config = {
    ...testConfig(),
    auth: { mode: 'proxy', trusted_proxies: ['127.0.0.1'] },
    access: {
      roles: { viewer: { users: ['*'] }, admin: { users: ['ada'] } },
      teams: Object.fromEntries(TEAMS.map((team) => [team, { groups: [team] }])),
    },
    system: { streams: { connections_per_client: 10 } },
  };
  const { child, url, end } = await startProcess('api', {
    DATABASE_URL: database.url,
    CONFIG_DIR: await writeConfig(config),
  });
  const server = { pid: child.pid!, port: Number(new URL(url!).port) };
  const [one, several]: [Measured[], Measured[]] = [[], []];
  try {
    // The two cases alternate, so that other load on the machine affects both.
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [figures, groups] of [[one, TEAMS.slice(0, 1)] as const, [several, TEAMS] as const]) {
        const measured = await measureFanOut({
          pool,
          clients,
          server,
          count: COUNT,
          seconds: SECONDS,
          groups,
        });
        expect(measured.complete).toBe(COUNT);
        figures.push(measured);
      }
  } finally {
    await end('SIGTERM');
  }
  const what = `${COUNT} subscribers of ${TEAMS.length} teams`;
  const cost = (figures: Measured[]) =>
    percentile(
      figures.map(({ cpuPerCharacter }) => cpuPerCharacter * 1000),
      0.5,
    );
  report({
    name: `CPU a delivered character, ${what}`,
    value: cost(several),
    unit: 'ns',
    baseline: cost(one),
    baselineName: 'of one team',
  });
  const latencies = (figures: Measured[]) => figures.flatMap((measured) => measured.latencies);
  for (const share of [0.5, 0.99])
    report({
      name: `piece to ${what}, p${share * 100}`,
      value: percentile(latencies(several), share),
      unit: 'ms',
      baseline: percentile(latencies(one), share),
      baselineName: 'of one team',
    });
});
