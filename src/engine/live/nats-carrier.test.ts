import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type FreezingProxy, openFreezingProxy } from '../../../test/helpers/freezing-proxy.ts';
import { NATS_SERVER, type NatsServer, startNatsServer } from '../../../test/helpers/nats-server.ts';
import {
  chunk,
  isDown,
  isUp,
  LONG,
  openSide as openOn,
  SESSION,
  type Side,
  TEXT,
} from '../../../test/helpers/nats-sides.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/postgres.ts';
import { CHANNELS } from './event-log.ts';
import { openNatsConnection } from './nats-connection.ts';

let database: TestDatabase;
let sql: pg.Pool;
/** Payloads that NOTIFY carried. */
let notified: string[];
/** The number of requests for NOTIFY. */
let requests = 0;
let listener: pg.Client;
let server: NatsServer;
const releasers: (() => Promise<unknown>)[] = [];
const openSide = (nats: string, options?: Parameters<typeof openOn>[2]) =>
  openOn({ nats, database: database.url }, releasers, options);

/** Waits until every side uses NATS, and no request for NOTIFY counts any more. */
async function onlyNats(publisher: Side, subscriber: Side): Promise<void> {
  await isUp(publisher);
  await isUp(subscriber);
  await expect
    .poll(async () => {
      notified.length = 0;
      await publisher.publish(chunk(0));
      await sql.query(`select pg_notify('tarsy_chunk', 'end')`);
      await expect.poll(() => notified, LONG).toContain('end');
      return notified.length;
    }, LONG)
    .toBe(1);
  await expect.poll(() => subscriber.heard, LONG).toContain(0);
  subscriber.heard.length = 0;
  notified.length = 0;
}

describe.skipIf(NATS_SERVER === null)('a bus over NATS (skipped without nats-server)', () => {
  beforeAll(async () => {
    database = await createTestDatabase();
    sql = new pg.Pool({ connectionString: database.url, max: 2 });
    listener = new pg.Client({ connectionString: database.url });
    await listener.connect();
    await listener.query(`listen ${CHANNELS.chunk}; listen ${CHANNELS.request}`);
    listener.on('notification', ({ channel, payload = '' }) => {
      if (channel === CHANNELS.request) requests++;
      else notified.push(payload);
    });
  });
  afterAll(async () => {
    await listener?.end();
    await sql?.end();
    await database?.drop();
  });
  beforeEach(async () => {
    notified = [];
    server = await startNatsServer();
  });
  afterEach(async () => {
    server.thaw();
    for (const release of releasers.splice(0).reverse()) await release();
    await server.stop();
  });

  test('carries notices without NOTIFY once no process asks for it', async () => {
    const [publisher, subscriber] = [await openSide(server.url), await openSide(server.url)];
    await onlyNats(publisher, subscriber);
    for (let n = 1; n <= 200; n++) void publisher.publish(chunk(n));
    await expect.poll(() => subscriber.heard.length, LONG).toBe(200);
    expect(subscriber.heard).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
    expect(notified).toEqual([]);
  });

  test('falls back while NATS is killed, and returns', { timeout: 120_000 }, async () => {
    const [publisher, subscriber] = [await openSide(server.url), await openSide(server.url)];
    await onlyNats(publisher, subscriber);
    await server.kill();
    await publisher.publish(chunk(1));
    await expect.poll(() => subscriber.heard, LONG).toContain(1);
    await isDown(subscriber);
    expect(subscriber.log).toContain('NATS unavailable, PostgreSQL carries notices');
    await server.start();
    await onlyNats(publisher, subscriber);
    expect(subscriber.log.at(-1)).toBe('NATS connected, it carries notices');
  });

  test('does not lose the notices that a frozen server takes', { timeout: 120_000 }, async () => {
    const [publisher, subscriber] = [await openSide(server.url), await openSide(server.url)];
    await onlyNats(publisher, subscriber);
    server.freeze();
    await publisher.publish(chunk(1));
    await expect.poll(() => subscriber.heard, LONG).toContain(1);
    await isDown(subscriber);
    await publisher.publish(chunk(2));
    await expect.poll(() => subscriber.heard, LONG).toContain(2);
    server.thaw();
    await onlyNats(publisher, subscriber);
  });

  test('reaches a process that alone lost NATS', { timeout: 120_000 }, async () => {
    const proxy: FreezingProxy = await openFreezingProxy(server.url);
    releasers.push(() => proxy.close());
    const [publisher, subscriber] = [await openSide(server.url), await openSide(proxy.url)];
    await onlyNats(publisher, subscriber);
    let changes = 0;
    subscriber.bus.on('reconnected', () => void changes++);
    await proxy.set('dead');
    await isDown(subscriber);
    expect(changes).toBe(1);
    await expect
      .poll(async () => {
        await publisher.publish(chunk(1));
        return subscriber.heard;
      }, LONG)
      .toContain(1);
    expect(publisher.carrier.problem()).toBeNull();
    await proxy.set('pass');
    await onlyNats(publisher, subscriber);
    expect(changes).toBe(2);
  });

  test('does not take notices for sent that a dead connection has not confirmed', async () => {
    const proxy = await openFreezingProxy(server.url);
    releasers.push(() => proxy.close());
    const target = { servers: [proxy.url], subject: 'tarsy.one.notices', authenticator: null, tls: null };
    const timing = { probeMs: 60_000, deadlineMs: 2_000 };
    const { signal } = new AbortController();
    const connection = await openNatsConnection(target, { ...timing, onNotice: null, signal });
    await connection.publish([chunk(1)]);
    await proxy.set('dead');
    await expect(connection.publish([chunk(2)])).rejects.toThrow('no answer within 2000 ms');
    expect((await connection.lost).message).toBe('no answer within 2000 ms');
    void connection.close();
  });

  test('asks for NOTIFY if events have no notices although NATS answers', async () => {
    const [publisher, subscriber] = [
      await openSide(server.url, { config: { subjectPrefix: 'other' } }),
      await openSide(server.url),
    ];
    await isUp(publisher);
    await isUp(subscriber);
    // No request counts any more: no process hears the other prefix.
    await expect
      .poll(async () => {
        notified.length = 0;
        await publisher.publish(chunk(1));
        await sql.query(`select pg_notify('tarsy_chunk', 'end')`);
        await expect.poll(() => notified, LONG).toContain('end');
        return notified;
      }, LONG)
      .toEqual(['end']);
    requests = 0;
    subscriber.bus.missed();
    await expect.poll(() => requests, LONG).toBeGreaterThan(2);
    await expect
      .poll(async () => {
        await publisher.publish(chunk(2));
        return subscriber.heard;
      }, LONG)
      .toContain(2);
  });

  test('uses NOTIFY too for as long as requests may have been missed', async () => {
    const side = await openSide(server.url);
    const { carrier } = side;
    await onlyNats(side, side);
    const rest = async () => (await carrier.send([chunk(1)])).rest.length;
    expect(await rest()).toBe(0);
    carrier.hearsRequests(false);
    expect(await rest()).toBe(1);
    carrier.hearsRequests(true);
    expect(await rest()).toBe(1);
    await expect.poll(rest, LONG).toBe(0);
  });

  test('sends over NOTIFY what is larger than NATS accepts', async () => {
    await server.stop();
    server = await startNatsServer('max_payload: 1024');
    const [publisher, subscriber] = [await openSide(server.url), await openSide(server.url)];
    await onlyNats(publisher, subscriber);
    await publisher.publish(chunk(1), chunk(2, 'y'.repeat(2000)));
    await expect.poll(() => subscriber.heard.toSorted(), LONG).toEqual([1, 2]);
    await expect.poll(() => notified, LONG).toHaveLength(1);
  });

  test('works over NOTIFY while NATS is away from the start', { timeout: 120_000 }, async () => {
    await server.kill();
    const [publisher, subscriber] = [await openSide(server.url), await openSide(server.url)];
    await isDown(publisher);
    await publisher.publish(chunk(1));
    await expect.poll(() => subscriber.heard, LONG).toEqual([1]);
    await server.start();
    await onlyNats(publisher, subscriber);
  });

  test('separates prefixes and databases', async () => {
    const one = await openSide(server.url);
    const others = [
      await openSide(server.url, { config: { subjectPrefix: 'tarsy.test' } }),
      await openSide(server.url, { database: 'two' }),
    ];
    for (const other of others) await onlyNats(one, one).then(() => isUp(other));
    for (const other of others) other.heard.length = 0;
    await one.publish(chunk(7));
    await expect.poll(() => one.heard, LONG).toContain(7);
    for (const other of others) {
      await other.publish(chunk(8));
      await expect.poll(() => other.heard, LONG).toContain(8);
      expect(other.heard).not.toContain(7);
    }
    expect(one.heard).not.toContain(8);
  });

  test('drops invalid notices and cancellations, which anyone in NATS can send', async () => {
    const side = await openSide(server.url);
    await onlyNats(side, side);
    const cancelled: string[] = [];
    const events: number[] = [];
    side.bus.on('cancel', (id) => void cancelled.push(id));
    side.bus.on('event', ({ seq }) => void events.push(seq));
    const { connect } = await import('@nats-io/transport-node');
    const client = await connect({ servers: server.url });
    const send = (text: string) => client.publish('tarsy.one.notices', text);
    send(`tarsy_cancel ${SESSION}`);
    send(`tarsy_conclude ${SESSION}`);
    for (const [id, seq] of [
      ['x', 1],
      [SESSION, -1],
      [SESSION, 'NaN'],
      [SESSION, 1e99],
    ])
      send(`tarsy_event ${id}:${seq}:x`);
    const { sessionId: _, ...rest } = { sessionId: '', s: SESSION, t: TEXT, o: 1, d: 'x', c: 0 };
    for (const wrong of [{ s: 1 }, { t: 'x' }, { o: -1 }, { o: '1' }, { d: 5 }, { c: null }])
      send(`tarsy_chunk ${JSON.stringify({ ...rest, ...wrong })}`);
    for (const text of ['null', '[]', '"x"', '{', '']) send(`tarsy_chunk ${text}`);
    send('tarsy_event');
    send(`tarsy_event ${SESSION}:5:x`);
    await client.flush();
    await client.close();
    await expect.poll(() => events, LONG).toEqual([5]);
    expect([cancelled, side.heard]).toEqual([[], []]);
    expect(side.log.filter((message) => message === 'invalid notice dropped')).toHaveLength(1);
  });
});
