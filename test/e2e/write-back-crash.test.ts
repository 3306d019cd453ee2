import { afterEach, expect, test, vi } from 'vitest';
import { apiClient } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { openTestPool, SOURCE_TOKEN, sendDelivery } from '../helpers/deliveries.ts';
import { killWorker, startWorker } from '../helpers/killed-worker.ts';
import { SENDER_ENV, SENDERS, writeBackOf } from '../helpers/senders/index.ts';
import { type FakeSender, startSender } from '../helpers/senders/server.ts';

vi.setConfig({ testTimeout: 180_000 });

let app: TestApp;
let senders: Map<string, FakeSender>;
afterEach(async () => {
  await app.stop();
  await Promise.all([...senders.values()].map((sender) => sender.close()));
});

test('a worker that is killed between note and record leads to one note at each sender', async () => {
  const started = SENDERS.map(async (of) => [of.name, await startSender(of.spec, [of.object])] as const);
  senders = new Map(await Promise.all(started));
  const sources = SENDERS.map((of) => {
    const writeBack = writeBackOf(of, senders.get(of.name)!.url);
    return [of.name, { ...of.source, tokens: [SOURCE_TOKEN], write_back: writeBack }] as const;
  });
  app = await startTestApp({
    role: 'api',
    env: SENDER_ENV,
    intake: { sources: Object.fromEntries(sources) },
  });
  app.llm.otherwise({ text: 'All is well.' });
  const sql = openTestPool(app.database.url);
  for (const sender of senders.values()) sender.reactions.push('hang'); // stored, and never answered
  const first = await startWorker(app, SENDER_ENV);
  for (const { name, delivery, headers = {} } of SENDERS)
    expect(await sendDelivery(app.url, delivery, { source: name, headers })).toMatchObject({
      ...{ status: 202, outcome: 'INVESTIGATED' },
    });
  await Promise.all([...senders.values()].map((sender) => sender.holds(1)));
  await killWorker(first);
  const all = async (columns: string) =>
    (await sql.query(`select distinct ${columns} from notification_deliveries`)).rows;
  expect(await all('status, attempts, last_error')).toEqual([
    { status: 'PENDING', attempts: 1, last_error: null },
  ]);
  await sql.query('update notification_deliveries set due_at = now()'); // instead of waiting for the lease
  const second = await startWorker(app, SENDER_ENV);
  await expect
    .poll(() => all('status, attempts, last_error'), { timeout: 60_000 })
    .toEqual([{ status: 'DELIVERED', attempts: 2, last_error: 'An earlier attempt had written the note.' }]);
  for (const [name, { notes, violations }] of senders) {
    expect([name, [...notes.values()].flat().length]).toEqual([name, 1]);
    expect(violations).toEqual([]);
  }
  const api = apiClient(app.url);
  const { notificationDeliveries: log } = await api.query<{
    notificationDeliveries: { nodes: { id: string; kind: string }[] };
  }>('{ notificationDeliveries(first: 1, channel: "write-back:jira") { nodes { id kind } } }');
  expect(log.nodes).toEqual([{ id: expect.any(String), kind: 'WRITE_BACK' }]);
  await api.query('mutation ($id: ID!) { redeliverNotification(id: $id) { __typename } }', {
    id: log.nodes[0]!.id,
  });
  await api.query('mutation { testNotificationChannel(name: "write-back:zabbix") { __typename } }');
  await expect
    .poll(() => all('channel, event, attempts, status, last_error'), { timeout: 60_000 })
    .toEqual(
      expect.arrayContaining([
        expect.objectContaining({ channel: 'write-back:jira', attempts: 3, status: 'DELIVERED' }),
        expect.objectContaining({
          ...{ channel: 'write-back:zabbix', event: 'test', status: 'DELIVERED' },
          last_error: 'Address and credentials work. A test writes no note.',
        }),
      ]),
    );
  for (const name of ['jira', 'zabbix'])
    expect([...senders.get(name)!.notes.values()].flat()).toHaveLength(1);
  await killWorker(second);
  await sql.end();
});
