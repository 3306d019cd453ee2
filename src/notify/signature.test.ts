import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { devPython } from '../../scripts/lib/dev-python.ts';
import { deliverSuite } from '../../test/helpers/deliver-suite.ts';
import { type Received, type Receiver, startReceiver } from '../../test/helpers/receiver.ts';

const { start, queue, ended } = deliverSuite();
const VERIFY = resolve(import.meta.dirname, '../../test/helpers/python/verify_webhooks.py');
const secret = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;

let hook: Receiver;
let python: string;
beforeAll(async () => {
  [hook, python] = await Promise.all([startReceiver(), devPython()]);
}, 600_000);
afterAll(() => hook.close());

interface Delivery {
  secret: string;
  headers: Record<string, unknown>;
  body: string;
}

/** Returns for each delivery whether Python's `standardwebhooks` accepts it. */
async function verified(deliveries: readonly Delivery[]): Promise<boolean[]> {
  const child = spawn(python, [VERIFY], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(deliveries));
  return JSON.parse(await text(child.stdout));
}

async function delivered(secrets: readonly string[]): Promise<Received> {
  const [id] = (await queue('hook')) as [string];
  start({ hook: hook.url }, { secrets });
  expect(await ended(id)).toMatchObject({ status: 'DELIVERED' });
  return hook.received.at(-1)!;
}

test('another implementation accepts a delivery, and none that was changed', {
  timeout: 60_000,
}, async () => {
  const { headers, body } = await delivered([secret(1)]);
  const sent = { secret: secret(1), headers, body };
  const changed = (more: object) => ({ ...sent, headers: { ...headers, ...more } });
  const early = String(Number(headers['webhook-timestamp']) - 600);
  expect(
    await verified([
      sent,
      { ...sent, secret: secret(2) },
      { ...sent, body: body.replace('budget', 'budgets') },
      changed({ 'webhook-id': 'another' }),
      changed({ 'webhook-timestamp': early }),
    ]),
  ).toEqual([true, false, false, false, false]);
});

test('a receiver accepts both secrets while they are rotated', { timeout: 60_000 }, async () => {
  const { headers, body } = await delivered([secret(2), secret(1)]);
  const by = (byte: number) => ({ secret: secret(byte), headers, body });
  expect(await verified([by(1), by(2), by(3)])).toEqual([true, true, false]);
});
