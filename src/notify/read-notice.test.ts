import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertSession } from '../../test/helpers/http-api.ts';
import { createTestDatabase, type TestDatabase } from '../../test/helpers/postgres.ts';
import { insertReport } from '../../test/helpers/report.ts';
import { openPool } from '../db/pool.ts';
import { factsOf } from './notice.ts';
import { readNotice } from './read-notice.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = openPool(database.url, { application: 'test', logger: pino({ level: 'silent' }) });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const mask = (text: string) => text.replaceAll('hunter2', '[MASKED]');
const ended = (sessionId: string, masking = mask) =>
  readNotice(
    { db: pool, mask: masking, dashboardUrl: 'https://tarsy.example' },
    { event: 'session.ended', sessionId, notice: {} },
  );

const claim = (kind: string, text: string, status: string) => ({ kind, text, status });

test('the end of a session tells verdict, cause and what to do', async () => {
  const id = await insertSession(pool, {
    ...{ status: 'COMPLETED', title: 'Disk full', severity: 'CRITICAL', team: 'shop', alert_type: 'host' },
  });
  await insertReport(pool, id, {
    ...{ verdict: 'ACTION_REQUIRED', headline: 'The disk of db-1 is full', entities: ['db-1', 'db-2'] },
    claims: [
      claim('CAUSE', 'Logs with hunter2 fill the disk.', 'SUPPORTED'),
      claim('CAUSE', 'Rotation is off.', 'UNSUPPORTED'),
      claim('RECOMMENDATION', 'Rotate the logs.', 'NOT_CHECKABLE'),
    ],
  });
  const notice = await ended(id);
  expect(notice).toEqual({
    event: 'session.ended',
    title: 'Action required: The disk of db-1 is full',
    session: { id, title: 'Disk full', alertType: 'host', status: 'COMPLETED', team: 'shop' },
    verdict: 'ACTION_REQUIRED',
    severity: 'CRITICAL',
    affected: 'db-1, db-2',
    toDo: ['Rotate the logs.'],
    why: 'Logs with [MASKED] fill the disk.\nNot proven: Rotation is off.',
    call: null,
    link: `https://tarsy.example/sessions/${id}`,
  });
  expect(factsOf(notice!)).toEqual([
    { label: 'Verdict', value: 'Action required' },
    { label: 'Severity', value: 'critical' },
    { label: 'Affected', value: 'db-1, db-2' },
    { label: 'Alert', value: 'Disk full' },
    { label: 'Alert type', value: 'host' },
    { label: 'Team', value: 'shop' },
  ]);
});

test('the end of a session names the first actions and objects, and counts the other objects', async () => {
  const id = await insertSession(pool, { status: 'COMPLETED', title: 'Disks full' });
  const numbers = [1, 2, 3, 4, 5, 6, 7];
  await insertReport(pool, id, {
    ...{ verdict: 'ACTION_REQUIRED', headline: 'All disks are full' },
    entities: numbers.map((n) => `db-${n}`),
    claims: numbers.map((n) => claim('RECOMMENDATION', `Step ${n}`, 'NOT_CHECKABLE')),
  });
  expect(await ended(id)).toMatchObject({
    affected: 'db-1, db-2, db-3, db-4, db-5 and 2 more',
    toDo: ['Step 1', 'Step 2', 'Step 3', 'Step 4', 'Step 5'],
  });
});

test('a cancelled session tells the reason that its user gave, if any', async () => {
  const cancelled = { status: 'CANCELLED', title: 'Disk full', error_message: 'Cancelled by ana.' };
  const [reasoned, other] = [
    await insertSession(pool, { ...cancelled, cancel_reason: 'A duplicate.' }),
    await insertSession(pool, cancelled),
  ];
  expect(await ended(reasoned)).toMatchObject({ why: 'A duplicate.' });
  expect(await ended(other)).toMatchObject({ why: 'Cancelled by ana.' });
});

test('a failed session tells why', async () => {
  const id = await insertSession(pool, { status: 'FAILED', title: 'Disk full', error_message: 'No model.' });
  expect(await ended(id)).toMatchObject({
    ...{ title: 'Investigation failed: Disk full', verdict: null, why: 'No model.', toDo: [] },
  });
});

test('a text that cannot be masked is withheld', async () => {
  const id = await insertSession(pool, { status: 'FAILED', title: 'hunter2', error_message: 'hunter2' });
  const notice = await ended(id, () => {
    throw new Error('no masking');
  });
  expect(notice).toMatchObject({ title: '[withheld: masking it failed]' });
  expect(JSON.stringify(notice)).not.toContain('hunter2');
});

test('a deleted session is not notified', async () => {
  expect(await ended(await insertSession(pool, { deleted_at: new Date() }))).toBeNull();
});

test.each(['budget.reached', 'canary.failing', 'source.silent', 'replay.worse', 'test'])(
  'the link of %s leads to a page of the dashboard',
  async (event) => {
    const deps = { db: pool, mask: (text: string) => text, dashboardUrl: 'https://tarsy.example' };
    const notice = await readNotice(deps, { event, sessionId: null, notice: { text: 'why' } });
    const routes = readFileSync(join(import.meta.dirname, '../../web/src/app.tsx'), 'utf8');
    expect(routes).toContain(`'${new URL(notice!.link).pathname}': lazyPage(`);
  },
);
