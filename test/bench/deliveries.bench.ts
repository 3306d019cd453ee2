import { expect, test } from 'vitest';
import { testConfig, writeConfig } from '../helpers/config.ts';
import { SOURCE_TOKEN } from '../helpers/deliveries.ts';
import { createTestDatabase } from '../helpers/postgres.ts';
import { startProcess } from '../helpers/process.ts';
import { cpuSeconds, forkBench, nextMessage } from './children.ts';
import type { DeliveryLoad, DeliveryReport } from './intake/deliveries.ts';
import { percentile, report } from './report.ts';
import { scaled } from './scale.ts';

const REQUESTS = scaled(20, 400);
const ALERTS = 10;
/** The number of senders, each its own source. */
const SENDERS = 16;
const ROUNDS = scaled(1, 5);

test('intake of deliveries with ten alerts each', async () => {
  const database = await createTestDatabase();
  const queue = { max_pending: 1_000_000, alerts_per_minute: 1_000_000 };
  const intake = {
    sources: Object.fromEntries(
      Array.from({ length: SENDERS }, (_, n) => [`am${n}`, { type: 'alertmanager', tokens: [SOURCE_TOKEN] }]),
    ),
    storm: { groups: 10_000, within: '1s' }, // high enough that no storm is detected
  };
  const env = { DATABASE_URL: database.url, CONFIG_DIR: await writeConfig(testConfig({ queue, intake })) };
  const api = await startProcess('api', env);
  const plain = forkBench(import.meta.resolve('./intake/plain-rows.ts'), { ...env, NODE_ENV: 'production' });
  const clients = forkBench(import.meta.resolve('./intake/deliveries.ts'));
  try {
    const ours = { port: Number(new URL(api.url!).port), path: '/webhooks/am', senders: SENDERS };
    const bare = { port: await nextMessage<number>(plain, 'port'), path: '/', senders: 0 };
    const run = async (to: typeof ours, requests: number, perSecond: number | null = null) => {
      const reported = nextMessage<DeliveryReport>(clients, 'report');
      clients.send({
        load: { ...to, token: SOURCE_TOKEN, requests, alerts: ALERTS, perSecond } satisfies DeliveryLoad,
      });
      const { wrong, ...figures } = await reported;
      expect(wrong).toBeNull();
      return figures;
    };
    await run(bare, REQUESTS); // warm-up, which compiles code and opens connections
    await run(ours, REQUESTS);
    const rounds: { least: DeliveryRate; taken: DeliveryRate; cpuMs: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const least = await run(bare, REQUESTS);
      const cpu = await cpuSeconds(api.child.pid!);
      const taken = await run(ours, REQUESTS);
      rounds.push({ least, taken, cpuMs: (((await cpuSeconds(api.child.pid!)) - cpu) * 1000) / REQUESTS });
    }
    const median = (of: (round: (typeof rounds)[number]) => number) => percentile(rounds.map(of), 0.5);
    const rate = median(({ taken }) => taken.perSecond);
    report({
      name: 'alerts by webhook, ten a delivery, 16 clients',
      value: rate * ALERTS,
      unit: 'alerts/s',
      baseline: median(({ least }) => least.perSecond) * ALERTS,
      baselineName: 'an insert of the same rows',
    });
    report({
      name: 'processor time of a delivery of ten alerts',
      value: median(({ cpuMs }) => cpuMs),
      unit: 'ms',
      baseline: null,
      baselineName: null,
    });
    const half = await run(ours, REQUESTS * 2, rate / 2);
    report({
      name: 'answer to a delivery of ten alerts at half of that load, p99',
      value: half.p99,
      unit: 'ms',
      baseline: half.p50,
      baselineName: 'p50',
    });
  } finally {
    clients.kill();
    plain.kill();
    await api.end('SIGTERM');
    await database.drop();
  }
});

type DeliveryRate = Omit<DeliveryReport, 'wrong'>;
