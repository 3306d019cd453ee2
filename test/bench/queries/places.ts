import pg from 'pg';
import { type Api, globalId } from '../../helpers/http-api.ts';
import type { Places } from './cases.ts';
import { LONGEST, type Size } from './data.ts';

/** Finds the values for the cases. Uses a viewer who sees all sessions. */
export async function findPlaces(
  api: Api,
  size: Size,
  headers: Record<string, string> = {},
): Promise<Places> {
  // A plain client, because the limits of a pool would stop full scans.
  const client = new pg.Client({ connectionString: api.databaseUrl });
  await client.connect();
  const one = async <T>(sql: string) =>
    Object.values((await client.query<Record<string, T>>(sql)).rows[0]!)[0] as T;
  const middle = await one<Date>(
    `select created_at from alert_sessions where deleted_at is null order by created_at offset ${Math.floor(size.sessions / 2)} limit 1`,
  );
  const { data } = await api.query<{ sessions: { edges: { cursor: string }[] } }>(
    'query ($filter: SessionFilter) { sessions(first: 1, filter: $filter) { edges { cursor } } }',
    { filter: { createdBefore: middle } },
    headers,
  );
  const places = {
    middle,
    deepCursor: data.sessions.edges[0]!.cursor,
    rarePart: await one<string>(
      `select substring(alert_data from '"pod": "[a-z-]*-([0-9a-f]{9}-[0-9a-f]{3})') from alert_sessions
       where deleted_at is null order by created_at offset ${size.sessions / 3} limit 1`,
    ),
    usual: globalId(
      'Session',
      await one<string>(
        `select id from alert_sessions where status = 'COMPLETED' and deleted_at is null order by created_at desc limit 1`,
      ),
    ),
    longest: globalId(
      'Session',
      await one<string>(`select session_id from timeline_events where sequence_number = ${LONGEST}`),
    ),
    traced: globalId('Session', await one<string>('select session_id from llm_interactions limit 1')),
  };
  await client.end();
  return places;
}
