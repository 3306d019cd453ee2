import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { QualityRating, SessionStatus, Severity, Verdict } from '../enums.ts';
import type { WaitReason } from '../wait-reason.ts';
import { costs, createdAt, double, id, moment, oneOf, sqlIndexes, tokenCounts } from './columns.ts';

/** The MCP servers that the alert's sender selected; used instead of the chain's servers. */
export interface McpSelectionValue {
  servers: { name: string; tools: string[] | null }[];
  nativeTools: { googleSearch?: boolean; codeExecution?: boolean; urlContext?: boolean } | null;
}

/**
 * Why a PENDING session may not start yet, stored in its column `wait`. Other causes are derived from other columns.
 */
export interface SessionWait {
  reason: WaitReason;
  /** Identifies the cause, such as a budget. Sessions with the same cause resume together. */
  cause: string;
  /** The cause in a sentence. */
  message: string;
  /** Expected end of the wait (ISO 8601); `null` if only an event ends the wait. */
  until: string | null;
}

/**
 * Filter columns of the lists. Each list's index includes them, so that PostgreSQL skips other rows without reading.
 */
const FILTERED = ['status', 'alert_type', 'chain_id', 'author', 'team', 'severity'];

const DURATION = `(coalesce((extract(epoch from completed_at - started_at) * 1000)::bigint, -1))`;

function order(name: string, key: string[], more: string[], rows = 'where "deleted_at" is null') {
  const included = [...more, ...FILTERED.filter((column) => !key.includes(column))].join(', ');
  return {
    name: `alert_sessions_by_${name}`,
    expression:
      `create index "alert_sessions_by_${name}" on "alert_sessions" (${[...key, 'created_at', 'id'].join(', ')}) include (${included}) ${rows}`.trim(),
  };
}

/** One investigation of an alert or alert group. The row decides which worker runs it; a job only wakes a worker. */
export const AlertSession = defineEntity({
  name: 'AlertSession',
  tableName: 'alert_sessions',
  properties: {
    id: id(),
    alertType: p.text(),
    alertData: p.text().lazy(), // up to 1 MiB, so lists never read it
    // derived from the alert for lists; null in rows of older versions until a background task fills them in
    title: p.text().nullable(),
    severity: oneOf<Severity>().nullable(),
    entities: p.array().columnType('text[]').nullable(),
    chainId: p.text(),
    status: oneOf<SessionStatus>().default('PENDING'),
    author: p.text(),
    team: p.text().nullable(), // null = no team: visible to all
    runbookUrl: p.text().nullable(),
    mcpSelection: p.json<McpSelectionValue>().nullable(),
    slackMessageFingerprint: p.text().nullable(),
    errorMessage: p.text().nullable(),
    finalAnalysis: p.text().nullable(),
    executiveSummary: p.text().nullable(),
    executiveSummaryError: p.text().nullable(),
    currentStageId: p.uuid().nullable(), // no foreign key, because stages refer to sessions
    createdAt: createdAt(),
    startedAt: moment().nullable(),
    completedAt: moment().nullable(),
    lastInteractionAt: moment().nullable(),
    deletedAt: moment().nullable(), // when the session was hidden; the retention deletes the row later
    // intake
    groupId: p.uuid().nullable(), // alert group; no foreign key, so that older versions can write at the same time
    runAt: moment().nullable(), // earliest first start: the session waits for more alerts of its group
    resolvedAt: moment().nullable(), // when the source reported the problem as resolved
    // copied from the report for lists and track records; null without a report
    verdict: oneOf<Verdict>().nullable(),
    confidence: double().nullable(), // 0 to 1; null for a report of the offline rules
    labels: p.array().columnType('text[]').defaultRaw(`'{}'`), // the operator's labels that apply
    // columns of the review; null until a responder starts it
    reviewStatus: oneOf<'IN_PROGRESS' | 'REVIEWED'>().nullable(),
    assignee: p.text().nullable(), // responder who reviews
    rating: oneOf<QualityRating>().nullable(),
    actionTaken: p.text().nullable(), // masked
    feedback: p.text().nullable(), // masked
    reviewedAt: moment().nullable(),
    // queue and lease
    queueAt: moment().defaultRaw('now()'), // position in the queue: creation time minus the head start of the severity
    wait: p.json<SessionWait & { since: string }>().nullable(), // cause for which a PENDING session gets no slot; null = none
    runNowAt: moment().nullable(), // when a responder moved the session to the front of the queue, regardless of budgets
    concludeRequestedAt: moment().nullable(), // when a responder asked it to conclude
    cancelReason: p.text().nullable(), // reason that the canceller gave; masked
    dispatchedAt: moment().nullable(), // set = the session occupies a concurrency slot
    workerId: p.text().nullable(),
    attempt: p.integer().default(0), // number of the claim; writes of an older attempt are refused
    workersLost: p.integer().default(0), // number of expired leases; requeueing by a worker does not count
    leaseExpiresAt: moment().nullable(),
    parkedAt: moment().nullable(), // when the wait for an approval began; null once the session resumes
    waitedMs: p.bigint('number').default(0), // total time since the start in which no worker ran the session, such as waits for approvals (ms)
    taughtAt: moment().nullable(), // when memories were extracted from the session, even if none were found
    // last assigned numbers of the session's events and timeline items; gapless and in commit order
    lastEventSeq: p.integer().default(0),
    lastTimelineSequence: p.integer().default(0),
    // sums over llm_interactions, so that lists need no aggregate query
    ...tokenCounts(),
    ...costs(),
  },
  indexes: [
    order('time', [], []),
    order('status', ['status'], ['deleted_at'], ''), // covers deleted rows too, because the queue reads those that still wait
    order('alert_type', ['alert_type'], []),
    order('author', ['author'], []),
    order('duration', [DURATION], ['started_at', 'completed_at']), // includes the columns of DURATION, because an indexed expression does not cover them
    { name: 'alert_sessions_chain', properties: ['chainId', 'createdAt', 'id'] },
    ...sqlIndexes('alert_sessions', {
      alert_sessions_kinds: '(team, status, alert_type, chain_id, author) where deleted_at is null', // for counts and choices of filters; PostgreSQL stores equal entries once
      alert_sessions_slots: '(dispatched_at) where dispatched_at is not null', // to count the occupied slots, at each new alert
      alert_sessions_queue: `(queue_at, id) where status = 'PENDING' and dispatched_at is null and wait is null`, // sessions that may get a slot, in order
      alert_sessions_parked: `((wait ->> 'cause')) where wait is not null and status = 'PENDING'`, // to check each second if a cause is gone
      alert_sessions_lease: '(lease_expires_at) where lease_expires_at is not null',
      alert_sessions_due: `(run_at) where run_at is not null and status = 'PENDING'`, // sessions that wait for more alerts of their group
      alert_sessions_ended: '(completed_at) where deleted_at is null and completed_at is not null', // for the retention, which hides ended sessions before it deletes them
      alert_sessions_deleted: '(deleted_at, id) where deleted_at is not null',
      alert_sessions_group: '(group_id) where group_id is not null',
      alert_sessions_reviews: '(review_status, created_at, id) where review_status is not null',
      alert_sessions_to_review: `(created_at, id) where review_status is null and status in ('COMPLETED', 'FAILED', 'TIMED_OUT') and deleted_at is null`, // sessions whose review has not started
      alert_sessions_verdict: '(verdict, created_at, id) where verdict is not null',
      alert_sessions_labels: `using gin (labels) where labels <> '{}'`,
      alert_sessions_record:
        '(alert_type, chain_id, verdict) include (rating, confidence, team, created_at) where rating is not null and verdict is not null and deleted_at is null', // to count how often verdicts were right, with an index-only scan
      alert_sessions_untitled: '(id) where title is null', // rows whose title the background task still has to fill in
    }),
  ],
  triggers: [
    {
      name: 'alert_sessions_index_new', // both triggers keep session_search up to date
      timing: 'after',
      events: ['insert'],
      expression: `create trigger "alert_sessions_index_new" after insert on "alert_sessions" for each row execute function tarsy_session_changed()`,
    },
    {
      name: 'alert_sessions_index_ended',
      timing: 'after',
      events: ['update'],
      expression: `create trigger "alert_sessions_index_ended" after update of "status" on "alert_sessions" for each row when (old.status <> new.status and new.status in ('COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT')) execute function tarsy_session_changed()`,
    },
  ],
});
export type AlertSessionRow = InferEntity<typeof AlertSession>;
