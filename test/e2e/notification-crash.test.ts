import type { ChildProcess } from 'node:child_process';
import pg from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { killWorker, startWorker } from '../helpers/killed-worker.ts';
import { type Receiver, startReceiver } from '../helpers/receiver.ts';

vi.setConfig({ testTimeout: 120_000 });

const env = { HOOK_SECRET: `whsec_${Buffer.alloc(32, 3).toString('base64')}` };

let hook: Receiver;
let app: TestApp;
let sql: pg.Client;
const workers: ChildProcess[] = [];
afterEach(async () => {
  await Promise.all(workers.splice(0).map(killWorker));
  await sql.end();
  await app.stop();
  await hook.close();
});

test('a worker that is killed after sending leads to a second delivery with the same id', async () => {
  hook = await startReceiver();
  app = await startTestApp({
    role: 'api',
    env,
    notifications: {
      channels: {
        hook: { kind: 'webhook', url: hook.url, secrets_env: ['HOOK_SECRET'], allow_private: true },
      },
      rules: [{ events: ['session.ended'], channels: ['hook'] }],
    },
  });
  sql = new pg.Client({ connectionString: app.database.url });
  await sql.connect();
  const api = apiClient(app.url);
  hook.answers.push('hang'); // received, and never answered
  app.llm.script({ text: 'All is well.' }, { text: 'Well.' });
  const worker = await startWorker(app, env);
  workers.push(worker);
  const id = await api.submit('Disk trouble');
  await api.waitFor(id, ({ status }) => ENDED.has(status));
  const first = await hook.nth(1);
  await killWorker(worker);
  const { rows } = await sql.query('select status, attempts from notification_deliveries');
  expect(rows).toEqual([{ status: 'PENDING', attempts: 1 }]);
  await sql.query('update notification_deliveries set due_at = now()'); // instead of waiting for the lease
  workers.push(await startWorker(app, env));
  const second = await hook.nth(2);
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
  expect(JSON.parse(second.body).id).toBe(JSON.parse(first.body).id);
  const status = async () => (await sql.query('select status, attempts from notification_deliveries')).rows;
  await expect.poll(status, { timeout: 30_000 }).toEqual([{ status: 'DELIVERED', attempts: 2 }]);
  expect(hook.received).toHaveLength(2);
});

test('an event that no worker has sent is sent when one starts', async () => {
  hook = await startReceiver();
  app = await startTestApp({
    role: 'api',
    env,
    notifications: {
      channels: {
        hook: { kind: 'webhook', url: hook.url, secrets_env: ['HOOK_SECRET'], allow_private: true },
      },
      rules: [{ events: ['session.ended'], verdicts: ['none'], channels: ['hook'] }],
    },
  });
  sql = new pg.Client({ connectionString: app.database.url });
  await sql.connect();
  const api = apiClient(app.url);
  const id = await api.submit('Disk trouble');
  for (let n = 0; n < 2; n += 1)
    await api.query('mutation ($id: ID!) { cancelSession(id: $id, reason: "a test") { __typename } }', {
      id,
    });
  workers.push(await startWorker(app, env));
  const { body } = await hook.nth(1);
  expect(JSON.parse(body).data).toMatchObject({
    title: expect.stringContaining('Investigation cancelled'),
    why: 'a test',
  });
  const { rows } = await sql.query('select count(*)::int as count from notification_deliveries');
  expect(rows).toEqual([{ count: 1 }]);
});
