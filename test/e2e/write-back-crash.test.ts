import type { ChildProcess } from 'node:child_process';
import type { Pool } from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { apiClient } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { openTestPool, SOURCE_TOKEN, sendDelivery } from '../helpers/deliveries.ts';
import { killWorker, startWorker } from '../helpers/killed-worker.ts';
import { SENDER_ENV, SENDERS, writeBackOf } from '../helpers/senders/index.ts';
import { type FakeSender, startSender } from '../helpers/senders/server.ts';

vi.setConfig({ testTimeout: 180_000 });

let app: TestApp;
let senders: Map<string, FakeSender>;
let sql: Pool;
const workers: ChildProcess[] = [];
beforeEach(async () => {
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
  sql = openTestPool(app.database.url);
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map(killWorker));
  await sql.end();
  await app.stop();
  await Promise.all([...senders.values()].map((sender) => sender.close()));
});

async function start(): Promise<ChildProcess> {
  const worker = await startWorker(app, SENDER_ENV);
  workers.push(worker);
  return worker;
}

/** Sends an alert of each sender. */
async function sendAll(): Promise<void> {
  for (const { name, delivery, headers = {} } of SENDERS)
    expect(await sendDelivery(app.url, delivery, { source: name, headers })).toMatchObject({
      ...{ status: 202, outcome: 'INVESTIGATED' },
    });
}

const all = async (columns: string, from = 'notification_deliveries') =>
  (await sql.query(`select distinct ${columns} from ${from}`)).rows;

/** Waits until all notes are delivered, and expects one at each sender. */
async function expectOneEach(lastError: string | null): Promise<void> {
  await expect
    .poll(() => all('status, last_error'), { timeout: 60_000 })
    .toEqual([{ status: 'DELIVERED', last_error: lastError }]);
  for (const [name, { notes, violations }] of senders) {
    expect([name, [...notes.values()].flat().length]).toEqual([name, 1]);
    expect(violations).toEqual([]);
  }
}

test('a worker that is killed between note and record leads to one note at each sender', async () => {
  for (const sender of senders.values()) sender.reactions.push('hang'); // stored, and never answered
  const first = await start();
  await sendAll();
  await Promise.all([...senders.values()].map((sender) => sender.holds(1)));
  await killWorker(first);
  expect(await all('status, attempts, last_error')).toEqual([
    { status: 'PENDING', attempts: 1, last_error: null },
  ]);
  await sql.query('update notification_deliveries set due_at = now()'); // instead of waiting for the lease
  await start();
  await expectOneEach('An earlier attempt had written the note.');
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
});

test('a worker that is killed before its notes are stored leads to one note at each sender', async () => {
  for (const sender of senders.values()) sender.reactions.push('ignore');
  const first = await start();
  await sendAll();
  await expect
    .poll(() => [...senders.values()].every(({ reactions }) => reactions.length === 0), { timeout: 60_000 })
    .toBe(true);
  await killWorker(first);
  await sql.query('update notification_deliveries set due_at = now()');
  await start();
  await expectOneEach(null);
});

test('senders that are away for an hour delay no investigation, and get each note once', async () => {
  for (const sender of senders.values()) sender.isAway = true;
  const first = await start();
  await sendAll();
  await expect
    .poll(() => all('status', 'alert_sessions'), { timeout: 60_000 })
    .toEqual([{ status: 'COMPLETED' }]);
  const waiting = () => all(`status, split_part(last_error, ':', 1) as code`);
  await expect.poll(waiting, { timeout: 60_000 }).toEqual([{ status: 'PENDING', code: 'UNREACHABLE' }]);
  await killWorker(first);
  // An hour passes. The next attempt fails too.
  await sql.query(
    `update notification_deliveries set queued_at = queued_at - interval '1 hour', due_at = now(), last_error = null`,
  );
  await start();
  await expect.poll(waiting, { timeout: 60_000 }).toEqual([{ status: 'PENDING', code: 'UNREACHABLE' }]);
  for (const sender of senders.values()) sender.isAway = false;
  await sql.query('update notification_deliveries set due_at = now()');
  await expectOneEach(null);
});
