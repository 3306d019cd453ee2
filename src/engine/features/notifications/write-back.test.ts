import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { insertRow, insertSession } from '../../../../test/helpers/http-api.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/helpers/postgres.ts';
import { uuidv7 } from '../../../common/uuidv7.ts';
import type { ChannelConfig, NotificationsConfig } from '../../../config/types.ts';
import { openPool } from '../../../db/pool.ts';
import { createTransaction } from '../../store/database.ts';
import { MAX_OBJECTS, writeBackNotifier } from './write-back.ts';

const channel = (source: string) => {
  const name = `write-back:${source}`;
  return [name, { kind: 'write_back', name, source } as ChannelConfig] as const;
};
const NOTIFICATIONS: NotificationsConfig = {
  channels: Object.fromEntries([channel('pd'), channel('zabbix')]),
  rules: [],
};

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = openPool(database.url, { application: 'test', logger: pino({ level: 'silent' }) });
});
afterEach(() =>
  pool.query('truncate notification_deliveries, alerts, alert_groups, alert_sessions, replays cascade'),
);
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const notifier = writeBackNotifier({ config: { notifications: NOTIFICATIONS } });
const ended = (session: string) => notifier(pool, session, 'TERMINAL');

const queued = async () => {
  const { rows } = await pool.query<{ channel: string; notice: { object: { id: string | null } } }>(
    'select channel, notice from notification_deliveries order by id',
  );
  return rows.map(({ channel, notice: { object } }) => `${object.id} at ${channel}`);
};

const MINUTE = 60_000;
const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE);

async function group(source: string, more: Record<string, unknown> = {}): Promise<string> {
  return insertRow(pool, 'alert_groups', {
    ...{ source, group_key: uuidv7(), title: 't', severity: 'ERROR', state: 'FIRING', alert_type: 'test' },
    ...{ opened_at: ago(60), last_received_at: ago(1), ...more },
  });
}

async function alert(groupId: string, source: string, objectId: string | null, more: object = {}) {
  await insertRow(pool, 'alerts', {
    ...{ group_id: groupId, source, fingerprint: uuidv7(), title: 't', severity: 'ERROR', state: 'FIRING' },
    ...{ labels: {}, annotations: {}, starts_at: ago(30), first_received_at: ago(30) },
    ...{ last_received_at: ago(1), object_id: objectId, ...more },
  });
}

/** Inserts a session that began 10 minutes ago, about a group with these objects. */
async function session(source: string, objects: (string | null)[], more: Record<string, unknown> = {}) {
  const groupId = await group(source);
  for (const objectId of objects) await alert(groupId, source, objectId);
  const id = await insertSession(pool, {
    status: 'COMPLETED',
    group_id: groupId,
    created_at: ago(10),
    ...more,
  });
  return { id, groupId };
}

test('each object of a session gets one note, whatever alerts name it', async () => {
  const { id } = await session('pd', ['P1', 'P2', 'P1']);
  await ended(id);
  await ended(id);
  expect((await queued()).sort()).toEqual(['P1 at write-back:pd', 'P2 at write-back:pd']);
});

test('groups that joined a session are noted too, and sources without write-back are not', async () => {
  const { id } = await session('pd', ['P1']);
  await alert(await group('zabbix', { session_id: id }), 'zabbix', '17');
  await alert(await group('other', { session_id: id }), 'other', 'X');
  await ended(id);
  expect((await queued()).sort()).toEqual(['17 at write-back:zabbix', 'P1 at write-back:pd']);
});

test('alerts that were resolved before the session began get no note', async () => {
  const { id, groupId } = await session('pd', ['P1']);
  await alert(groupId, 'pd', 'P2', { state: 'RESOLVED', last_received_at: ago(20) });
  await alert(groupId, 'pd', 'P3', { state: 'RESOLVED', last_received_at: ago(5) });
  await alert(groupId, 'pd', 'P4', { last_received_at: ago(20) }); // still fires
  await ended(id);
  expect((await queued()).sort()).toEqual(['P1', 'P3', 'P4'].map((each) => `${each} at write-back:pd`));
});

test('a missing id is queued, so that its failure shows', async () => {
  const { id } = await session('pd', [null, 'P1', null]);
  await ended(id);
  expect((await queued()).sort()).toEqual(['P1 at write-back:pd', 'null at write-back:pd']);
  const moved = await session('zabbix', []); // its alerts have moved to a later group
  await ended(moved.id);
  expect(await queued()).toContain('null at write-back:zabbix');
});

test('many objects are bounded, and the last note says how many are left out', async () => {
  const { id } = await session(
    'pd',
    Array.from({ length: MAX_OBJECTS + 5 }, (_, n) => `P${n}`),
  );
  await ended(id);
  const { rows } = await pool.query<{ omitted: number }>(
    `select (notice->'object'->>'omitted')::int as omitted from notification_deliveries order by id`,
  );
  expect(rows.map(({ omitted }) => omitted)).toEqual([...Array(MAX_OBJECTS - 1).fill(0), 5]);
});

test('of many objects, those without an id are left out first', async () => {
  const ids = Array.from({ length: MAX_OBJECTS }, (_, n) => `P${n}`);
  const { id } = await session('pd', [...ids, null]);
  await ended(id);
  expect((await queued()).sort()).toEqual(ids.map((each) => `${each} at write-back:pd`).sort());
});

test('a start, a cancelled session and a replay queue nothing', async () => {
  const { id } = await session('pd', ['P1']);
  await notifier(pool, id, 'STARTED');
  await ended((await session('pd', ['P2'], { status: 'CANCELLED' })).id);
  const replayed = await insertRow(pool, 'cases', {
    ...{ name: 'n', document: '""', hash: 'h', alert_type: 'test', world: 'OPEN', max_unrecorded_calls: 5 },
    ...{ recorded_calls: 0, created_by: 'me', expectation: '{}' },
  });
  await insertRow(pool, 'replays', {
    ...{ case_id: replayed, session_id: id, provider: 'p', model: 'm', config_hash: 'h', created_by: 'me' },
  });
  await ended(id);
  expect(await queued()).toEqual([]);
});

test('an end that is rolled back leaves no note', async () => {
  const { id } = await session('pd', ['P1']);
  const transaction = createTransaction(pool, { publish: async () => {} });
  const work = transaction(async (tx) => {
    await notifier(tx, id, 'TERMINAL');
    throw new Error('rolled back');
  });
  await expect(work).rejects.toThrow('rolled back');
  expect(await queued()).toEqual([]);
});
