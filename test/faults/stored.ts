import type pg from 'pg';
import { expect } from 'vitest';
import type { ApiClient } from '../helpers/api.ts';
import type { Followed } from '../helpers/follower.ts';

/** A session as the database stores it. */
export interface Stored {
  status: string;
  /** The number of events in its log. */
  events: number;
  timeline: { id: string; type: string; status: string; content: string }[];
  stages: { id: string; status: string }[];
}

/** Reads a session. Throws if its event log has a gap. */
export async function readStored(api: ApiClient, sql: pg.Pool, id: string): Promise<Stored> {
  const { session } = await api.query<{ session: Omit<Stored, 'events'> }>(
    'query ($id: ID!) { session(id: $id) { status timeline { id type status content } stages { id status } } }',
    { id },
  );
  const key = Buffer.from(id, 'base64').toString().split(':')[1];
  const { rows } = await sql.query<{ events: number; last: number }>(
    'select count(*)::int as events, max(seq) as last from session_events where session_id = $1',
    [key],
  );
  expect(rows[0]!.events).toBe(rows[0]!.last);
  return { ...session, events: rows[0]!.events };
}

/** Asserts that the client's view equals the stored session, without missing or repeated events. */
export function expectSame(known: Followed, stored: Stored): void {
  const seqs = known.cursors.map((cursor) => Number(Buffer.from(cursor, 'base64url').toString().slice(3)));
  expect(seqs).toEqual(Array.from({ length: stored.events }, (_, n) => n + 1));
  expect(Object.fromEntries(known.stages)).toEqual(
    Object.fromEntries(stored.stages.map(({ id, status }) => [id, status])),
  );
  expect([...known.texts.keys()].sort()).toEqual(stored.timeline.map(({ id }) => id).sort());
  for (const { id, type, status, content } of stored.timeline) {
    const text = known.texts.get(id)!;
    expect(text.final).toEqual({ type, content });
    if (status !== 'COMPLETED' || type === 'LLM_TOOL_CALL') continue;
    for (const { offset, delta } of text.pieces) {
      expect(content.slice(offset, offset + delta.length)).toBe(delta);
    }
  }
}
