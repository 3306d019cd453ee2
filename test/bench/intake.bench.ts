import { expect, test } from 'vitest';
import { testConfig, writeConfig } from '../helpers/config.ts';
import { createTestDatabase } from '../helpers/postgres.ts';
import { startProcess } from '../helpers/process.ts';
import { cpuSeconds, forkBench, nextMessage } from './children.ts';
import type { Load, LoadReport } from './intake/load.ts';
import { percentile, report } from './report.ts';
import { scaled } from './scale.ts';

const REQUESTS = scaled(50, 1500);
const ROUNDS = scaled(1, 5);
const ALERT = JSON.stringify({ alertname: 'DiskAlmostFull', host: 'web-7', used_percent: 91 }).padEnd(500);

const ours = {
  document: `mutation ($data: String!) { submitAlert(input: { data: $data }) {
    ... on SubmitAlertSuccess { session { id } } ... on Error { code message } } }`,
  variables: { data: ALERT },
};
const bare = { document: 'mutation ($data: String!) { submit(data: $data) }', variables: { data: ALERT } };

test('intake of alerts through the API', async () => {
  const database = await createTestDatabase();
  const queue = { max_pending: 1_000_000, alerts_per_minute: 1_000_000 };
  const env = { DATABASE_URL: database.url, CONFIG_DIR: await writeConfig(testConfig({ queue })) };
  const api = await startProcess('api', env);
  const plain = forkBench(import.meta.resolve('./intake/plain-server.ts'), {
    ...env,
    NODE_ENV: 'production',
  });
  const clients = forkBench(import.meta.resolve('./intake/load.ts'));
  try {
    const plainPort = await nextMessage<number>(plain, 'port');
    const apiPort = Number(new URL(api.url!).port);
    const run = async (load: Omit<Load, 'requests'>, requests: number, pid: number) => {
      const [cpu, reported] = [await cpuSeconds(pid), nextMessage<LoadReport>(clients, 'report')];
      clients.send({ load: { ...load, requests } });
      const { perSecond, wrong } = await reported;
      expect(wrong).toBeNull();
      return { perSecond, cpuMs: (((await cpuSeconds(pid)) - cpu) * 1000) / requests };
    };
    const rounds: Record<'least' | 'taken', Awaited<ReturnType<typeof run>>>[] = [];
    // Warm-up, which compiles code and opens connections.
    await run({ port: plainPort, ...bare }, REQUESTS, plain.pid!);
    await run({ port: apiPort, ...ours }, REQUESTS, api.child.pid!);
    for (let round = 0; round < ROUNDS; round += 1) {
      const least = await run({ port: plainPort, ...bare }, REQUESTS, plain.pid!);
      rounds.push({ least, taken: await run({ port: apiPort, ...ours }, REQUESTS, api.child.pid!) });
    }
    const median = (of: (round: (typeof rounds)[number]) => number) => percentile(rounds.map(of), 0.5);
    const baselineName = 'a yoga mutation with one insert';
    report({
      name: 'alert intake, 16 clients',
      value: median(({ taken }) => taken.perSecond),
      unit: 'alerts/s',
      baseline: median(({ least }) => least.perSecond),
      baselineName,
    });
    report({
      name: 'processor time of an alert taken in',
      value: median(({ taken }) => taken.cpuMs),
      unit: 'ms',
      baseline: median(({ least }) => least.cpuMs),
      baselineName,
    });
  } finally {
    clients.kill();
    plain.kill();
    await api.end('SIGTERM');
    await database.drop();
  }
});
