import { visibilityParameter, visibleSql } from '../../access/visibility.ts';
import { checkReplay } from '../../cases/checks.ts';
import type { CaseRow, ReplayRow, ReportRow, StoredExpectation } from '../../db/entities/index.ts';
import { isTerminalStatus, type SessionStatus } from '../../db/enums.ts';
import type { Queryable } from '../../db/queryable.ts';
import { agreementWithSource } from '../../engine/features/report/agreement.ts';
import type { CasePageArgs, PageArgs } from '../../schema/args.ts';
import { badUserInput } from '../../schema/errors.ts';
import type { Page, ReplayResultView, ReplayStatus } from '../../schema/views.ts';
import { ID_COLUMN, type List, momentColumn, readPage } from './page.ts';
import type { ReadDb } from './tables.ts';
import type { Shown } from './visible-rows.ts';

const MAX_SEARCH = 200;

/** Condition for a visible replay `t`: its case and its session are visible. */
export const replayShown: Shown = (place) =>
  `exists (select 1 from cases c join alert_sessions s on s.id = t.session_id
    where c.id = t.case_id and s.deleted_at is null and ${visibleSql('c.team', place)})`;

export function readCases(db: ReadDb, args: CasePageArgs): Promise<Page<CaseRow>> {
  const search = args.search?.trim() ?? '';
  if (search.length > MAX_SEARCH) throw badUserInput(`A search has at most ${MAX_SEARCH} characters.`);
  const list: List<CaseRow> = {
    table: db.tables.case,
    key: [momentColumn('created_at', ({ createdAt }) => createdAt), ID_COLUMN],
    descending: true,
    where: ({ add }) => [
      visibleSql('t.team', add(visibilityParameter(db.sight))),
      ...(search === '' ? [] : [`strpos(lower(t.name || ' ' || t.alert_type), lower(${add(search)})) > 0`]),
    ],
  };
  return readPage(db.pool, list, args);
}

export function readReplays(db: ReadDb, caseId: string, args: PageArgs): Promise<Page<ReplayRow>> {
  const list: List<ReplayRow> = {
    table: db.tables.replay,
    key: [momentColumn('created_at', ({ createdAt }) => createdAt), ID_COLUMN],
    descending: true,
    where: ({ add }) => [`t.case_id = ${add(caseId)}`, replayShown(add(visibilityParameter(db.sight)))],
  };
  return readPage(db.pool, list, args);
}

interface ResultRow {
  id: string;
  world: CaseRow['world'];
  expectation: StoredExpectation;
  limit: number;
  status: SessionStatus;
  errorMessage: string | null;
  usd: number;
  unpricedCalls: number | null;
  cause: string | null;
  report: Pick<ReportRow, 'verdict' | 'headline' | 'confidence' | 'entities' | 'claims'> | null;
  /** Claims of the session from which the case was made; `null` if it is gone or has no report. */
  sourceClaims: ReportRow['claims'] | null;
  unrecordedCalls: number;
}

const RESULTS = `select r.id, c.world, c.expectation, c.max_unrecorded_calls as "limit", s.status,
    s.error_message as "errorMessage", s.cost_usd as usd, s.unpriced_calls as "unpricedCalls", r.cause,
    (select json_build_object('verdict', p.verdict, 'headline', p.headline, 'confidence', p.confidence,
      'entities', p.entities, 'claims', p.claims) from reports p where p.session_id = s.id) as report,
    (select p.claims from reports p join alert_sessions o on o.id = p.session_id
      where p.session_id = c.source_session_id and o.deleted_at is null) as "sourceClaims",
    (select count(*)::int from mcp_interactions m where m.session_id = s.id and m.type = 'TOOL_CALL'
      and m.result ->> 'recorded' = 'UNRECORDED') as "unrecordedCalls"
  from replays r join cases c on c.id = r.case_id join alert_sessions s on s.id = r.session_id where r.id = any($1)`;

/** Returns the state of each replay, and the checks of those that have ended. */
export async function readReplayResults(db: Queryable, ids: readonly string[]): Promise<ReplayResultView[]> {
  const { rows } = await db.query<ResultRow>(RESULTS, [ids]);
  const found = new Map(rows.map((row) => [row.id, resultOf(row)]));
  return ids.map((id) => found.get(id) ?? GONE);
}

/** Result of a replay that was deleted while a client read it. */
const GONE: ReplayResultView = {
  ...{ status: 'CANCELLED', passed: null, confidentlyWrong: false, checks: [] },
  ...{ unrecordedCalls: 0, costUsd: null, agreement: null },
};

function resultOf({ world, expectation, limit, ...row }: ResultRow): ReplayResultView {
  const { errorMessage, report, cause, unrecordedCalls, sourceClaims } = row;
  const status = statusOf(row.status);
  const costUsd = (row.unpricedCalls ?? 0) > 0 ? null : row.usd;
  const agreement = agreementWithSource(report?.claims ?? [], report === null ? [] : (sourceClaims ?? []));
  const shared = { status, unrecordedCalls, costUsd, agreement };
  if (status === 'PENDING' || status === 'RUNNING')
    return { ...shared, passed: null, confidentlyWrong: false, checks: [] };
  const checked = checkReplay(
    { world: world === 'OPEN' ? 'open' : 'closed', expect: expectation, max_unrecorded_calls: limit },
    { status, errorMessage, report, cause, unrecordedCalls },
  );
  return { ...shared, ...checked };
}

function statusOf(status: SessionStatus): ReplayStatus {
  if (status === 'PENDING') return 'PENDING';
  if (!isTerminalStatus(status)) return 'RUNNING';
  return status === 'TIMED_OUT' ? 'FAILED' : status;
}
