import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { SESSION_STATUSES } from '../enums.ts';
import { createdAt, id, moment, oneOf, tokenCounts } from './columns.ts';

/** What an alert's sender chose of the MCP servers; replaces the chain's server list. */
export interface McpSelectionValue {
  servers: { name: string; tools: string[] | null }[];
  nativeTools: { googleSearch?: boolean; codeExecution?: boolean; urlContext?: boolean } | null;
}

/** One investigation of one alert. The row is the truth about who runs it; a queued job is only a wake-up. */
export const AlertSession = defineEntity({
  name: 'AlertSession',
  tableName: 'alert_sessions',
  properties: {
    id: id(),
    alertType: p.text(),
    alertData: p.text().lazy(), // up to 1 MiB: never read with a list
    chainId: p.text(),
    status: oneOf(SESSION_STATUSES).default('PENDING'),
    author: p.text(),
    runbookUrl: p.text().nullable(),
    mcpSelection: p.json<McpSelectionValue>().nullable(),
    slackMessageFingerprint: p.text().nullable(),
    errorMessage: p.text().nullable(),
    finalAnalysis: p.text().nullable(),
    executiveSummary: p.text().nullable(),
    executiveSummaryError: p.text().nullable(),
    currentStageId: p.uuid().nullable(), // no foreign key: stages refer to sessions
    createdAt: createdAt(),
    startedAt: moment().nullable(),
    completedAt: moment().nullable(),
    lastInteractionAt: moment().nullable(),
    deletedAt: moment().nullable(), // soft delete of the retention
    // intake
    groupId: p.uuid().nullable(), // alerts that it is about; no foreign key: what knows no groups may write beside it
    runAt: moment().nullable(), // waits until then for more alerts of its group
    resolvedAt: moment().nullable(), // when the source said that the problem is over
    // queue and lease
    dispatchedAt: moment().nullable(), // set = holds one of the concurrency slots
    workerId: p.text().nullable(),
    attempt: p.integer().default(0), // fencing token: a write of an older attempt is refused
    workersLost: p.integer().default(0), // how often its lease ran out; what a worker hands over does not count
    leaseExpiresAt: moment().nullable(),
    // numbering of the session's events and timeline, gapless and in commit order
    lastEventSeq: p.integer().default(0),
    lastTimelineSequence: p.integer().default(0),
    // sums over llm_interactions, kept here so that a list needs no aggregate
    ...tokenCounts(),
  },
  indexes: [
    {
      name: 'alert_sessions_shown', // pages, and counts without reading rows
      expression: `create index "alert_sessions_shown" on "alert_sessions" ("created_at", "id") include ("status", "alert_type", "chain_id", "author") where "deleted_at" is null`,
    },
    { name: 'alert_sessions_queue', properties: ['status', 'createdAt', 'id'] },
    { name: 'alert_sessions_alert_type', properties: ['alertType', 'createdAt', 'id'] },
    { name: 'alert_sessions_chain', properties: ['chainId', 'createdAt', 'id'] },
    { name: 'alert_sessions_author', properties: ['author', 'createdAt', 'id'] },
    {
      name: 'alert_sessions_slots', // counted with every alert
      expression: `create index "alert_sessions_slots" on "alert_sessions" ("dispatched_at") where "dispatched_at" is not null`,
    },
    {
      name: 'alert_sessions_lease',
      expression: `create index "alert_sessions_lease" on "alert_sessions" ("lease_expires_at") where "lease_expires_at" is not null`,
    },
    {
      name: 'alert_sessions_due', // those that wait for more alerts of their group
      expression: `create index "alert_sessions_due" on "alert_sessions" ("run_at") where "run_at" is not null and "status" = 'PENDING'`,
    },
    {
      name: 'alert_sessions_old', // what the retention looks for: first hides, then removes
      expression: `create index "alert_sessions_old" on "alert_sessions" ("completed_at") where "deleted_at" is null`,
    },
    {
      name: 'alert_sessions_deleted',
      expression: `create index "alert_sessions_deleted" on "alert_sessions" ("deleted_at", "id") where "deleted_at" is not null`,
    },
    {
      name: 'alert_sessions_group',
      expression: `create index "alert_sessions_group" on "alert_sessions" ("group_id") where "group_id" is not null`,
    },
    {
      name: 'alert_sessions_duration', // the expression of the order DURATION
      expression: `create index "alert_sessions_duration" on "alert_sessions" ((coalesce((extract(epoch from completed_at - started_at) * 1000)::bigint, -1)), "created_at", "id")`,
    },
  ],
  triggers: [
    {
      name: 'alert_sessions_index_new', // both keep session_search
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
