import pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FreezingProxy, openFreezingProxy } from '../../../test/helpers/freezing-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/postgres.ts';
import { uuidv7 } from '../../common/uuidv7.ts';
import { type Bus, type ListenTiming, openBus } from './bus.ts';
import type { NatsCarrier } from './nats-carrier.ts';
import { encodeChunk } from './notices.ts';

/** Probe timing (ms): PATIENT makes no probe within a test, ALERT notices a dead connection soon. */
const PATIENT = { probeMs: 60_000, deadlineMs: 60_000 };
const ALERT = { probeMs: 50, deadlineMs: 3_000 };
const SESSION = uuidv7();
const LONG = { timeout: 20_000, interval: 10 };

let database: TestDatabase;
let sql: pg.Client;
let proxy: FreezingProxy;
let bus: Bus;
/** The emitted notices, and the log of the bus. */
let told: unknown[][];
let log: string[];
beforeAll(async () => {
  database = await createTestDatabase();
  sql = new pg.Client({ connectionString: database.url });
  await sql.connect();
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

beforeEach(async () => {
  told = [];
  log = [];
  proxy = await openFreezingProxy(database.url);
});
afterEach(async () => {
  await bus?.close();
  await proxy.close();
});

async function open(timing: ListenTiming, carrier: NatsCarrier | null = null): Promise<Bus> {
  const logger = pino({ level: 'debug' }, { write: (line: string) => void log.push(JSON.parse(line).msg) });
  const opened = await openBus(proxy.url, logger, { ...timing, carrier });
  for (const name of ['event', 'chunk', 'cancel', 'reconnected'] as const)
    opened.on(name, (...notice: unknown[]) => void told.push([name, ...notice]));
  return opened;
}

const notify = (channel: string, payload: string) =>
  sql.query('select pg_notify($1, $2)', [channel, payload]);
const logged = (message: string) => expect.poll(() => log, LONG).toContain(message);
/** Waits for the reconnection and returns the time since which notices may be missing. */
async function backAgain(): Promise<Date> {
  await expect.poll(() => told, LONG).toContainEqual(['reconnected', expect.any(Date)]);
  return told.find(([name]) => name === 'reconnected')?.[1] as Date;
}
async function now(): Promise<Date> {
  return (await sql.query<{ now: Date }>('select clock_timestamp() as now')).rows[0]!.now;
}

async function hears(sessionId: string): Promise<void> {
  await notify('tarsy_cancel', sessionId);
  await expect.poll(() => told, LONG).toContainEqual(['cancel', sessionId]);
}

test('emits the notices of other connections in order', async () => {
  bus = await open(PATIENT);
  const chunk = { sessionId: SESSION, timelineEventId: SESSION, offset: 3, delta: 'é"\n', saved: 2 };
  await notify('tarsy_event', `${SESSION}:7:SessionStatusChanged`);
  await notify('tarsy_chunk', encodeChunk(chunk));
  await hears('s');
  expect(told).toEqual([
    ['event', { sessionId: SESSION, seq: 7, type: 'SessionStatusChanged' }],
    ['chunk', chunk],
    ['cancel', 's'],
  ]);
});

test('continues after an invalid notice and after a throwing listener', async () => {
  bus = await open(PATIENT);
  bus.on('event', () => {
    throw new Error('listener');
  });
  await notify('tarsy_event', `${SESSION}:1:x`);
  await notify('tarsy_chunk', 'no JSON');
  await hears('s');
  expect(log).toContain('notice handling failed');
  expect(log).toContain('invalid notice dropped');
});

test('reconnects and reports it when the server ends the connection', async () => {
  const [before, opened, after] = [await now(), await open(PATIENT), await now()];
  bus = opened;
  await sql.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'tarsy-listen'`,
  );
  const since = await backAgain();
  expect(since >= before && since <= after).toBe(true);
  await hears('after');
});

test('notices a dead connection by its probe and reconnects', async () => {
  bus = await open(ALERT);
  await proxy.set('dead');
  await logged('event connection lost, reconnecting');
  await proxy.set('pass');
  await backAgain();
  await hears('after');
});

test('gives up and retries a connection attempt without an answer', async () => {
  bus = await open(ALERT);
  await proxy.set('dead');
  await logged('event connection still down');
  await proxy.set({ reject: '57P03', message: 'the database system is starting up' });
  await expect
    .poll(() => log.filter((message) => message.includes('still down')).length, LONG)
    .toBeGreaterThan(1);
  await proxy.set('pass');
  await backAgain();
  await hears('after');
  await expect.poll(() => proxy.open, LONG).toBe(1);
});

test('closes without waiting for a dead server and leaves nothing behind', async () => {
  bus = await open({ ...PATIENT, deadlineMs: 3_000 });
  await proxy.set('dead');
  await bus.close();
  await expect.poll(() => proxy.open, LONG).toBe(0);
});

test('aborts a running connection attempt on close and emits nothing afterwards', async () => {
  bus = await open(PATIENT);
  await proxy.set('cut');
  await proxy.set('dead');
  await logged('event connection lost, reconnecting');
  await expect.poll(() => proxy.open, LONG).toBe(1);
  await bus.close();
  await expect.poll(() => proxy.open, LONG).toBe(0);
  expect(told).toEqual([]);
});

test('fails soon if the database is unreachable at the start', async () => {
  await proxy.set('dead');
  await expect(open(ALERT)).rejects.toThrow();
  await proxy.set('refuse');
  await expect(open(ALERT)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

/** A carrier that carries nothing, and notes whether the process hears requests for NOTIFY. */
function idleCarrier() {
  const hearing: boolean[] = [];
  let problem: string | null = null;
  let change = () => {};
  const carrier: NatsCarrier = {
    send: async (notices) => ({ carried: 0, rest: notices }),
    problem: () => problem,
    requested() {},
    hearsRequests: (isHearing) => void hearing.push(isHearing),
    start: ({ onChange }) => {
      change = onChange;
    },
    close: async () => {},
  };
  const lose = () => {
    problem = 'gone';
    change();
  };
  return { carrier, hearing, lose };
}

test('hears no requests for NOTIFY while it reconnects', async () => {
  const { carrier, hearing } = idleCarrier();
  bus = await open(PATIENT, carrier);
  expect(hearing).toEqual([true]);
  await proxy.set('refuse');
  await expect.poll(() => hearing, LONG).toEqual([true, false]);
  await proxy.set('pass');
  await expect.poll(() => hearing, LONG).toEqual([true, false, true]);
});

test('asks for NOTIFY when NATS is lost, and reports notices of some seconds before as missing', async () => {
  const { carrier, lose } = idleCarrier();
  bus = await open(PATIENT, carrier);
  const requests: string[] = [];
  sql.on('notification', ({ channel }) => requests.push(channel));
  await sql.query('listen tarsy_request');
  lose();
  expect((await backAgain()).getTime()).toBeLessThanOrEqual((await now()).getTime() - 5_000);
  await expect.poll(() => requests, LONG).toEqual(['tarsy_request']);
  await sql.query('unlisten tarsy_request');
});
