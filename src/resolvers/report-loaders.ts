import type { ScoreRow } from '../db/entities/index.ts';
import type { Loaders } from '../schema/context.ts';
import { eventKey } from '../schema/views.ts';
import type { Batches, LoaderMakers } from './reads/batches.ts';
import { sessionShown } from './reads/in-sight.ts';
import type { ReadDb, Table } from './reads/tables.ts';
import { readRecordsOf } from './reads/track-record.ts';

const OF_SESSION = { column: 'session_id', property: 'sessionId' };

/** Creates the loaders of reports. They read only data of sessions that the viewer may see. */
export function createReportLoaders(
  tables: ReadDb['tables'],
  { oneOf, one, pick, rows, loader, sight }: Batches,
) {
  return {
    reportOfSession: () => oneOf(tables.report, OF_SESSION),
    claimsOfReport: () => oneOf(tables.reportClaims, OF_SESSION),
    reportOfAnswer: () => oneOf(tables.answerReport, { column: 'stage_id', property: 'stageId' }),
    trackRecord: () => loader((db, keys) => readRecordsOf(db, sight, keys)),
    citedEvent: () => citedEvents(tables, { loader }),
    wholeOutput: () =>
      pick(
        one((ids) => rows<Record<string, string>>(OUTPUTS, ids), 'id'),
        'output',
      ),
  } satisfies Partial<LoaderMakers>;
}

/** A call that was repeated after a crash has several results. The last one counts, as in the check of claims. */
const OUTPUTS = `
  select t.id, m.result ->> 'content' as output from timeline_events t cross join lateral (
    select m.result from mcp_interactions m where m.execution_id = t.execution_id and m.type = 'TOOL_CALL'
      and m.tool_call_id = t.metadata ->> 'tool_call_id' order by m.id desc limit 1) m
  where t.id = any($1) and t.type = 'LLM_TOOL_CALL'`;

function citedEvents({ timelineEvent }: ReadDb['tables'], { loader }: Pick<Batches, 'loader'>) {
  const sql = `
    select ${timelineEvent.columns} from unnest($1::uuid[], $2::int[]) k (session_id, number)
    join timeline_events t on t.session_id = k.session_id and t.sequence_number = k.number and t.type = 'LLM_TOOL_CALL'`;
  return loader(async (db, keys) => {
    const parts = keys.map((key) => key.split(':'));
    const { rows } = await db.query<NonNullable<Awaited<ReturnType<Loaders['citedEvent']['load']>>>>(sql, [
      parts.map(([sessionId]) => sessionId),
      parts.map(([, number]) => Number(number)),
    ]);
    const found = new Map(rows.map((row) => [eventKey(row.sessionId, row.sequenceNumber), row]));
    return keys.map((key) => found.get(key) ?? null);
  });
}

const MAX_SCORES = 100;

export function createScoreLoaders(score: Table, { one, many, rows, shownById }: Batches) {
  const newest = (limit: number) => `
    select ${score.columns} from unnest($1::uuid[]) k (id) cross join lateral (
      select * from scores s where s.session_id = k.id order by s.id desc limit ${limit}) t order by t.id desc`;
  return {
    score: () => shownById(score, sessionShown),
    latestScore: () => one((ids) => rows<ScoreRow>(newest(1), ids), 'sessionId'),
    scoresOfSession: () => many((ids) => rows<ScoreRow>(newest(MAX_SCORES), ids), 'sessionId'),
  } satisfies Partial<LoaderMakers>;
}
