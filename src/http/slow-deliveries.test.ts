import { once } from 'node:events';
import { connect as open, type Socket } from 'node:net';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../test/helpers/app.ts';
import { alertBody, intakeConfig, openTestPool, sendDelivery } from '../../test/helpers/deliveries.ts';
import { DELIVERY_READ_MS, MAX_DELIVERIES_AT_ONCE, MAX_DELIVERY_BYTES_HELD } from './tunables.ts';

const MIB = 1024 * 1024;

let app: TestApp;
let pool: pg.Pool;
beforeAll(async () => {
  app = await startTestApp({ role: 'api', intake: intakeConfig() });
  pool = openTestPool(app.database.url);
});
afterAll(async () => {
  await pool.end();
  await app.stop();
});

/** Starts a delivery without a proof and sends only its first bytes. Resolves with the connection and its answer. */
async function begin(bytes: number): Promise<{ socket: Socket; answered: Promise<string> }> {
  const { hostname, port } = new URL(app.url);
  const socket = open(Number(port), hostname);
  socket.on('error', () => {});
  const answered = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
  await once(socket, 'connect');
  const head = `POST /webhooks/prod HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${bytes + 1}\r\n\r\n`;
  await new Promise((sent) =>
    socket.write(Buffer.concat([Buffer.from(head), Buffer.alloc(bytes, 32)]), sent),
  );
  return { socket, answered };
}

it('a sender that starts and stops blocks no other sender, and is refused in the end', async () => {
  const begun = performance.now();
  const slow = await Promise.all(Array.from({ length: 2 * MAX_DELIVERIES_AT_ONCE }, () => begin(1)));
  expect((await sendDelivery(app.url, alertBody())).status).toBe(202);
  const answer = await slow[0]!.answered;
  expect(performance.now() - begun).toBeGreaterThan(DELIVERY_READ_MS - 1_000);
  expect(answer).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 5[\s\S]*"TOO_SLOW"/i);
  expect(answer).toMatch(/^connection: close\r$/im); // the rest of the body is not read
  for (const { socket } of slow) socket.destroy();
}, 60_000);

it('bodies being read use memory up to a limit, which is free again when senders leave', async () => {
  const large = await Promise.all(
    Array.from({ length: MAX_DELIVERY_BYTES_HELD / (4 * MIB) + 1 }, () => begin(4 * MIB - 2)),
  );
  const answer = await Promise.race(large.map(({ answered }) => answered));
  expect(answer).toMatch(/^HTTP\/1\.1 503 [\s\S]*"BUSY"/);
  for (const { socket } of large) socket.destroy();
  const text = 'x'.repeat(3.9 * MIB);
  const send = async () => (await sendDelivery(app.url, alertBody({ annotations: { text } }))).status;
  await expect.poll(send).toBe(202);
  // Senders repeat what is answered with 503, so that it does not count as refused.
  expect((await pool.query('select code from intake_decisions where code is not null')).rows).toEqual([]);
}, 60_000);
