import { visibilityParameter, visibleSql } from '../../access/visibility.ts';
import type { Reads } from '../../schema/context.ts';
import { listWarnings } from '../../warnings.ts';
import { readAuditEvents } from './audit-events.ts';
import { readBudgets } from './budgets.ts';
import { readCases, readReplays } from './cases.ts';
import { readExport } from './export.ts';
import { createIntakeReads } from './intake.ts';
import { readMemories } from './memories.ts';
import { readNotificationDeliveries } from './notifications.ts';
import { readActiveSessions, readApiTokens, readFilterOptions, readPendingApprovals } from './overview.ts';
import { readSessionCounts } from './session-counts.ts';
import { readSessionPage } from './session-page.ts';
import type { ReadDb } from './tables.ts';
import { readTrackRecord, readTrackRecords } from './track-record.ts';
import { readMostExpensive, readUsage } from './usage.ts';
import { readWaitingWork } from './waiting.ts';

export function createReads(db: ReadDb): Reads {
  return {
    ...createIntakeReads(db),
    sessions: (args) => readSessionPage(db, args),
    sessionExport: (session) => readExport(db.pool, session),
    activeSessions: () => readActiveSessions(db),
    filterOptions: () => readFilterOptions(db),
    sessionCounts: (args) => readSessionCounts(db, args),
    budgets: (configured) => readBudgets(db, configured),
    usage: (args) => readUsage(db, args),
    mostExpensiveSessions: (args) => readMostExpensive(db, args),
    waitingWork: () => readWaitingWork(db),
    systemWarnings: () => listWarnings(db.pool),
    cases: (args) => readCases(db, args),
    replays: (caseId, args) => readReplays(db, caseId, args),
    memories: (args) => readMemories(db, args),
    pendingApprovals: () => readPendingApprovals(db),
    notificationDeliveries: (args) => readNotificationDeliveries(db, args),
    apiTokens: () => readApiTokens(db),
    trackRecord: (filter) => readTrackRecord(db, filter),
    trackRecords: (since) => readTrackRecords(db, since),
    auditEvents: (args) => readAuditEvents(db, args),
    lastEventSeq: async (sessionId) => {
      const sql = `select last_event_seq as seq from alert_sessions
        where id = $1 and deleted_at is null and ${visibleSql('team', '$2')}`;
      const { rows } = await db.pool.query<{ seq: number }>(sql, [sessionId, visibilityParameter(db.sight)]);
      return rows[0]?.seq ?? null;
    },
  };
}
