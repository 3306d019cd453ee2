import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { QualityRating, SessionStatus, Severity, Verdict } from '../enums.ts';
import { costs, createdAt, double, id, moment, oneOf, sqlIndexes, tokenCounts } from './columns.ts';

/** The MCP servers that an alert's sender selected; replaces the chain's list. */
export interface McpSelectionValue {
  servers: { name: string; tools: string[] | null }[];
  nativeTools: { googleSearch?: boolean; codeExecution?: boolean; urlContext?: boolean } | null;
}

/** Filter columns. Each list order's index includes them, so that a page is found without reading other rows. */
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

/** One investigation of one alert. The row decides which worker runs it; a queued job only wakes a worker. */
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
    deletedAt: moment().nullable(), // soft delete of the retention
    // intake
    groupId: p.uuid().nullable(), // its alert group; no foreign key, so that older versions can write at the same time
    runAt: moment().nullable(), // until then it waits for more alerts of its group
    resolvedAt: moment().nullable(), // when the source reported the problem as resolved
    // copied from its report for lists and track records; null without a report
    verdict: oneOf<Verdict>().nullable(),
    confidence: double().nullable(), // 0 to 1
    // review; null until a responder starts it
    reviewStatus: oneOf<'IN_PROGRESS' | 'REVIEWED'>().nullable(),
    assignee: p.text().nullable(), // the reviewer
    rating: oneOf<QualityRating>().nullable(),
    actionTaken: p.text().nullable(), // masked
    feedback: p.text().nullable(), // masked
    reviewedAt: moment().nullable(),
    // queue and lease
    dispatchedAt: moment().nullable(), // set = occupies a concurrency slot
    workerId: p.text().nullable(),
    attempt: p.integer().default(0), // fencing token: writes of an older attempt are refused
    workersLost: p.integer().default(0), // how often its lease expired; requeueing by a worker does not count
    leaseExpiresAt: moment().nullable(),
    parkedAt: moment().nullable(), // since when it waits for approvals; null once it resumes
    waitedMs: p.bigint('number').default(0), // total of earlier waits for approvals or for a worker (ms)
    taughtAt: moment().nullable(), // when memories were learned from it, even if there were none
    // numbering of the session's events and timeline, gapless and in commit order
    lastEventSeq: p.integer().default(0),
    lastTimelineSequence: p.integer().default(0),
    // sums over llm_interactions, so that a list needs no aggregate
    ...tokenCounts(),
    ...costs(),
  },
  indexes: [
    order('time', [], []),
    order('status', ['status'], ['deleted_at'], ''), // the queue also reads waiting rows that are deleted
    order('alert_type', ['alert_type'], []),
    order('author', ['author'], []),
    order('duration', [DURATION], ['started_at', 'completed_at']), // an indexed expression covers no columns
    { name: 'alert_sessions_chain', properties: ['chainId', 'createdAt', 'id'] },
    ...sqlIndexes('alert_sessions', {
      alert_sessions_kinds: '(team, status, alert_type, chain_id, author) where deleted_at is null', // filter counts and choices; equal entries are stored once
      alert_sessions_slots: '(dispatched_at) where dispatched_at is not null', // counted with each alert
      alert_sessions_lease: '(lease_expires_at) where lease_expires_at is not null',
      alert_sessions_due: `(run_at) where run_at is not null and status = 'PENDING'`, // sessions that wait for more alerts of their group
      alert_sessions_ended: '(completed_at) where deleted_at is null and completed_at is not null', // for the retention, which first hides, then deletes
      alert_sessions_deleted: '(deleted_at, id) where deleted_at is not null',
      alert_sessions_group: '(group_id) where group_id is not null',
      alert_sessions_reviews: '(review_status, created_at, id) where review_status is not null',
      alert_sessions_to_review: `(created_at, id) where review_status is null and status in ('COMPLETED', 'FAILED', 'TIMED_OUT') and deleted_at is null`, // reviews not started
      alert_sessions_verdict: '(verdict, created_at, id) where verdict is not null',
      alert_sessions_record:
        '(alert_type, chain_id, verdict) include (rating, confidence, team, created_at) where rating is not null and verdict is not null and deleted_at is null', // how often verdicts were right, as an index-only scan
      alert_sessions_untitled: '(id) where title is null', // rows that the background task still has to fill in
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
