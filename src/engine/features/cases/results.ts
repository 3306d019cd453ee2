import { checkReplay, type ReplayResult } from '../../../cases/checks.ts';
import type { CaseRow, ReportRow, StoredExpectation } from '../../../db/entities/index.ts';
import { isTerminalStatus, type SessionStatus } from '../../../db/enums.ts';
import type { Queryable } from '../../../db/queryable.ts';

/** State of a replay, and its checks if it has ended. */
export interface CheckedReplay extends ReplayResult {
  id: string;
  status: 'PENDING' | 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELLED';
  unrecordedCalls: number;
  /** US dollars; `null` if the price of a call is unknown. */
  costUsd: number | null;
  /** Claims of the report; `null` if there is none. */
  claims: ReportRow['claims'] | null;
  /** Claims of the session from which the case was made; `null` if it is gone or has no report. */
  sourceClaims: ReportRow['claims'] | null;
}

interface ResultRow extends Pick<CheckedReplay, 'id' | 'unrecordedCalls' | 'sourceClaims'> {
  world: CaseRow['world'];
  expectation: StoredExpectation;
  limit: number;
  status: SessionStatus;
  errorMessage: string | null;
  usd: number;
  unpricedCalls: number | null;
  cause: string | null;
  report: Pick<ReportRow, 'verdict' | 'headline' | 'confidence' | 'entities' | 'claims'> | null;
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

/** Reads the replays and compares those that have ended with what their cases expect. Deleted ones are left out. */
export async function readCheckedReplays(db: Queryable, ids: readonly string[]): Promise<CheckedReplay[]> {
  const { rows } = await db.query<ResultRow>(RESULTS, [ids]);
  return rows.map(checked);
}

function checked({ world, expectation, limit, ...row }: ResultRow): CheckedReplay {
  const { id, errorMessage, report, cause, unrecordedCalls, sourceClaims } = row;
  const status = statusOf(row.status);
  const costUsd = (row.unpricedCalls ?? 0) > 0 ? null : row.usd;
  const shared = { id, status, unrecordedCalls, costUsd, claims: report?.claims ?? null, sourceClaims };
  if (status === 'PENDING' || status === 'RUNNING')
    return { ...shared, passed: null, confidentlyWrong: false, checks: [] };
  const result = checkReplay(
    { world: world === 'OPEN' ? 'open' : 'closed', expect: expectation, max_unrecorded_calls: limit },
    { status, errorMessage, report, cause, unrecordedCalls },
  );
  return { ...shared, ...result };
}

function statusOf(status: SessionStatus): CheckedReplay['status'] {
  if (status === 'PENDING') return 'PENDING';
  if (!isTerminalStatus(status)) return 'RUNNING';
  return status === 'TIMED_OUT' ? 'FAILED' : status;
}
