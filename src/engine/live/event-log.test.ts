import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Api, insertSession, openApi } from '../../../test/helpers/http-api.ts';
import { END_OF_LOG, readLog, readLogPage } from './event-log.ts';

let api: Api;
let sessionId: string;

/** Inserts a session with events whose texts have these sizes (bytes), in order. */
async function log(...sizes: number[]): Promise<void> {
  sessionId = await insertSession(api.pool, { last_event_seq: sizes.length });
  await api.pool.query(
    `insert into session_events (session_id, seq, type, payload)
     select $1, seq, 'TimelineEventCreated', jsonb_build_object('content', repeat('x', size))
     from unnest($2::int[]) with ordinality t(size, seq)`,
    [sessionId, sizes],
  );
}

beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

const page = (afterSeq: number, rows = 500) =>
  readLogPage(api.pool, sessionId, { afterSeq, throughSeq: END_OF_LOG, rows });
const numbers = ({ events }: Awaited<ReturnType<typeof page>>) => events.map(({ seq }) => seq);

it('ends a page at the limit of bytes, but never before its first event', async () => {
  await log(200_000, 100_000, 10, 3_000_000, 3_000_000, 10);
  const first = await page(0);
  expect([numbers(first), first.more]).toEqual([[1, 2], true]);
  const second = await page(2);
  expect([numbers(second), second.more]).toEqual([[3, 4], true]);
  const third = await page(4);
  expect([numbers(third), third.more]).toEqual([[5], true]);
  const last = await page(5);
  expect([numbers(last), last.more]).toEqual([[6], false]);
});

it('reports that more may follow when a page has as many events as requested', async () => {
  await log(10, 10, 10);
  expect(await page(0, 2)).toMatchObject({ more: true });
  expect(await page(0, 4)).toMatchObject({ more: false });
  expect(await page(3)).toEqual({ events: [], bytes: 0, more: false });
});

it('ends where the log of a deleted session ends', async () => {
  await log(10, 10);
  await api.pool.query('delete from session_events where session_id = $1', [sessionId]);
  const read = await Array.fromAsync(readLog(api.pool, sessionId, 0, 2));
  expect(read).toEqual([]);
});

it('reads a whole log of small and large events', async () => {
  const sizes = Array.from({ length: 700 }, (_, n) => (n % 100 === 99 ? 400_000 : 50));
  await log(...sizes);
  const read: number[] = [];
  for await (const event of readLog(api.pool, sessionId, 3, 650)) read.push(event.seq);
  expect(read).toEqual(Array.from({ length: 647 }, (_, n) => n + 4));
});
