import { type AddressInfo, connect, createServer } from 'node:net';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openFreezingProxy } from '../../test/helpers/freezing-proxy.ts';
import { type Standby, startStandby } from '../../test/helpers/standby.ts';
import { startTemporaryPostgres, type TemporaryPostgres } from '../../test/helpers/temporary-postgres.ts';
import { chooseServer, readsOfEither } from '../resolvers/reads/either-server.ts';
import { openPool } from './pool.ts';
import { createReadReplica, type ReplicaStatus } from './read-replica.ts';
import { openReplicaPools } from './replica-pools.ts';

/** Longer than a loaded machine needs to replay a commit (ms). */
const PATIENT_MS = 20_000;
/** Waits (ms) that pass in the test, but not because the machine is busy. */
const HASTY_MS = 2_000;
const POLL = { timeout: 60_000 };
const SLOW_TEST = { timeout: 180_000 };

let primary: TemporaryPostgres;
let standby: Standby;
const releases: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  primary = await startTemporaryPostgres({ keepsCommits: true });
  const pool = openPool(primary.url, { application: 'test', logger: pino({ level: 'silent' }) });
  await pool.query('create table numbers (n int)');
  await pool.end();
  standby = await startStandby(primary);
});
afterEach(async () => {
  for (const release of releases.splice(0).reverse()) await release();
});
afterAll(async () => {
  await standby?.stop();
  await primary?.stop();
});

/** Opens a replica as the API does, and the reads of operations on it. */
function open(
  options: {
    url?: string;
    primaryUrl?: string;
    waitMs?: number;
    /** Time after which the check counts the replica as silent (ms). */
    silentMs?: number;
    onCheck?: (status: ReplicaStatus) => void;
  } = {},
) {
  const { primaryUrl = primary.url, url = standby.urlOf(primary.url) } = options;
  const { waitMs = PATIENT_MS, silentMs = PATIENT_MS } = options;
  const logs: { level: number; msg: string; problem?: string }[] = [];
  const logger = pino({ level: 'info' }, { write: (line) => logs.push(JSON.parse(line)) });
  const limits = { max: 1, application: 'test-check', statementTimeoutMs: PATIENT_MS, silenceGraceMs: 0 };
  const check = openPool(url, { ...limits, statementTimeoutMs: silentMs, logger });
  const ofPrimary = openPool(primaryUrl, { application: 'test', logger });
  const pools = openReplicaPools({ url, isPooler: false }, logger);
  const { onCheck = () => {} } = options;
  const replica = createReadReplica({
    ...{ primary: openOwn(primaryUrl), replica: check, pools, waitMs, onCheck, everyMs: 20, logger },
  });
  function openOwn(of: string) {
    const pool = openPool(of, { ...limits, logger });
    releases.push(() => pool.end());
    return pool;
  }
  releases.push(() => Promise.all([check.end(), ofPrimary.end(), pools.reads.end(), pools.searches.end()]));
  releases.push(() => replica.close());
  return {
    replica,
    pools,
    primary: ofPrimary,
    /** Returns the reads of one operation. */
    operation: () =>
      readsOfEither({ primary: ofPrimary, replica: pools.reads, server: chooseServer(replica) }),
    used: (isUsed: boolean) => expect.poll(() => replica.status, POLL).toMatchObject({ serves: isUsed }),
    problem: (text: string | RegExp) => expect.poll(() => replica.status.problem ?? '', POLL).toMatch(text),
    changes: () => logs.filter(({ msg }) => msg.startsWith('read replica')),
  };
}

const IS_STANDBY = 'select pg_is_in_recovery() as "isStandby"';
const COUNT = 'select count(*)::int as count, pg_is_in_recovery() as "isStandby" from numbers where n = $1';

test('an operation on the replica sees every commit from before it began', SLOW_TEST, async () => {
  const { primary: writer, operation, used, replica } = open();
  await used(true);
  for (let n = 1; n <= 100; n += 1) {
    await writer.query('insert into numbers values ($1)', [n]);
    const reads = Array.from({ length: 5 }, () => operation().query(COUNT, [n]));
    for (const { rows } of await Promise.all(reads)) expect(rows).toEqual([{ count: 1, isStandby: true }]);
  }
  expect(replica.status).toMatchObject({ served: 500, fellBack: 0, repeated: 0, problem: null });
});

test(
  'an operation that begins while others wait for the replica sees what was committed meanwhile',
  SLOW_TEST,
  async () => {
    const late = await startStandby(primary, { recovery_min_apply_delay: '500ms' });
    releases.push(() => late.stop());
    const { primary: writer, operation, used } = open({ url: late.urlOf(primary.url) });
    await used(true);
    const reads: Promise<{ rows: object[] }>[] = [];
    for (let n = 500; n < 600; n += 1) {
      await writer.query('insert into numbers values ($1)', [n]);
      reads.push(operation().query('select count(*)::int as count from numbers where n = $1', [n]));
    }
    for (const { rows } of await Promise.all(reads)) expect(rows).toEqual([{ count: 1 }]);
  },
);

test('while replay is paused the primary answers, and the replica again afterwards', SLOW_TEST, async () => {
  const { primary: writer, operation, used, problem, replica, changes } = open({ waitMs: HASTY_MS });
  await used(true);
  await standby.pauseReplay();
  onTestFinished(() => standby.resumeReplay());
  await writer.query('insert into numbers values (1000)');
  const { rows } = await operation().query(COUNT, [1000]);
  expect(rows).toEqual([{ count: 1, isStandby: false }]);
  await problem('it is behind the primary');
  expect(replica.status.lagBytes).toBeGreaterThan(0);
  expect(replica.status.lagSeconds).toBeGreaterThan(0);
  const fellBack = replica.status.fellBack;
  await operation().query(IS_STANDBY);
  expect(replica.status.fellBack).toBe(fellBack + 1);
  await standby.resumeReplay();
  await used(true);
  expect(changes().map(({ level, problem: why }) => [level, why])).toEqual([
    [30, undefined],
    [40, 'it is behind the primary'],
    [30, undefined],
  ]);
});

test('a replica that stays 30 s behind is not used', SLOW_TEST, async () => {
  const late = await startStandby(primary, { recovery_min_apply_delay: '30s' });
  releases.push(() => late.stop());
  const {
    primary: writer,
    operation,
    used,
    problem,
    replica,
  } = open({
    url: late.urlOf(primary.url),
    waitMs: HASTY_MS,
  });
  await used(true); // nothing is committed yet
  for (let n = 2000; n < 2020; n += 1) {
    await writer.query('insert into numbers values ($1)', [n]);
    expect((await operation().query(COUNT, [n])).rows).toEqual([{ count: 1, isStandby: false }]);
  }
  await problem('it is behind the primary');
  await expect.poll(() => replica.status.lagSeconds ?? 0, POLL).toBeGreaterThan(1);
});

test('reads that the end of the replica interrupts are repeated on the primary', SLOW_TEST, async () => {
  const own = await startStandby(primary);
  releases.push(() => own.stop());
  const { operation, used, problem, pools, replica } = open({ url: own.urlOf(primary.url) });
  await used(true);
  const slow =
    'select pg_is_in_recovery() as "isStandby", case when pg_is_in_recovery() then pg_sleep(300) end';
  const reads = Array.from({ length: 5 }, () => operation().query(slow));
  await expect.poll(() => pools.reads.totalCount - pools.reads.idleCount, POLL).toBe(5);
  await own.kill();
  for (const { rows } of await Promise.all(reads)) expect(rows).toMatchObject([{ isStandby: false }]);
  await problem('it does not answer (ECONNREFUSED)');
  expect(replica.status).toMatchObject({ repeated: 5, serves: false, lagBytes: null, lagSeconds: null });
  await own.start();
  await used(true);
  expect((await operation().query(IS_STANDBY)).rows).toEqual([{ isStandby: true }]);
});

test('reads on a replica that falls silent are repeated on the primary', SLOW_TEST, async () => {
  const proxy = await openFreezingProxy(standby.urlOf(primary.url));
  releases.push(() => proxy.close());
  const { operation, used, problem, pools } = open({ url: proxy.url, silentMs: 3_000 });
  await used(true);
  const slow =
    'select pg_is_in_recovery() as "isStandby", case when pg_is_in_recovery() then pg_sleep(9) end';
  const read = operation().query(slow);
  await expect.poll(() => pools.reads.totalCount - pools.reads.idleCount, POLL).toBe(1);
  await proxy.set('dead');
  expect((await read).rows).toMatchObject([{ isStandby: false }]);
  await problem('it does not answer');
  await proxy.set('pass');
  await used(true);
});

test('a wrong statement is not blamed on the replica', SLOW_TEST, async () => {
  const { operation, used, replica } = open();
  await used(true);
  await expect(operation().query('select wrong')).rejects.toMatchObject({ code: '42703' });
  expect(replica.status).toMatchObject({ serves: true, repeated: 0 });
});

test('a promoted replica is refused', SLOW_TEST, async () => {
  const own = await startStandby(primary);
  releases.push(() => own.stop());
  const { operation, used, problem } = open({ url: own.urlOf(primary.url) });
  await used(true);
  await own.promote();
  await problem('it is no standby, or was promoted');
  const ofPrimary = openPool(own.urlOf(primary.url), {
    application: 'test',
    logger: pino({ level: 'silent' }),
  });
  await ofPrimary.query('insert into numbers values (3000)');
  await ofPrimary.end();
  expect((await operation().query(COUNT, [3000])).rows).toEqual([{ count: 0, isStandby: false }]);
});

test('after a failover, a standby is used once it follows the new primary', SLOW_TEST, async () => {
  const [next, other] = [await startStandby(primary), await startStandby(primary)];
  releases.push(() => Promise.all([next.stop(), other.stop()]));
  await next.promote();
  const { problem, used } = open({ primaryUrl: next.urlOf(primary.url), url: other.urlOf(primary.url) });
  await problem('it is on timeline 1, and the primary on 2');
  await other.kill();
  await other.start(next.urlOf(primary.url));
  await used(true);
});

test('another cluster, another database and the primary itself are refused', SLOW_TEST, async () => {
  const other = await startTemporaryPostgres({ keepsCommits: true });
  releases.push(() => other.stop());
  await open({ url: other.url }).problem('it has another database than DATABASE_URL');
  const elsewhere = new URL(standby.urlOf(primary.url));
  elsewhere.pathname = '/postgres';
  await open({ url: elsewhere.href }).problem('it has another database than DATABASE_URL');
  await open({ url: primary.url }).problem('it is no standby, or was promoted');
  await open({ primaryUrl: other.url, url: other.url }).problem('it is no standby, or was promoted');
});

test('a primary whose commits are not on disk has no replica', SLOW_TEST, async () => {
  const careless = await startTemporaryPostgres();
  releases.push(() => careless.stop());
  const copy = await startStandby(careless);
  releases.push(() => copy.stop());
  const { problem } = open({ primaryUrl: careless.url, url: copy.urlOf(careless.url) });
  await problem('the primary has synchronous_commit = off');
});

test('an address that leads to several standbys does not show an older state', SLOW_TEST, async () => {
  const behind = await startStandby(primary);
  releases.push(() => behind.stop());
  const urls = [standby.urlOf(primary.url), behind.urlOf(primary.url)];
  let turn = 0;
  const proxy = createServer((client) => {
    const server = connect(Number(new URL(urls[turn]!).port), '127.0.0.1');
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const)
      from.pipe(to).on('error', () => from.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  releases.push(async () => proxy.close());
  const url = new URL(primary.url);
  url.port = String((proxy.address() as AddressInfo).port);
  const { primary: writer, operation, used, replica } = open({ url: url.href });
  await used(true);
  turn = 1; // the next connections lead to the other standby, which the check does not see
  await behind.pauseReplay();
  await writer.query('insert into numbers values (4000)');
  expect((await operation().query(COUNT, [4000])).rows).toEqual([{ count: 1, isStandby: false }]);
  expect(replica.status.problem).toBe('a read failed there');
});
