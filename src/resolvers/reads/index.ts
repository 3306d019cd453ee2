import type { Reads } from '../../schema/context.ts';
import { listWarnings } from '../../warnings.ts';
import { readApiTokens } from './api-tokens.ts';
import { readAuditEvents } from './audit-events.ts';
import { createIntakeReads } from './intake.ts';
import { readActiveSessions, readFilterOptions } from './overview.ts';
import { readSessionPage } from './session-page.ts';
import type { ReadDb } from './tables.ts';

export { describeTables, type ReadDb } from './tables.ts';

/** Reads for the root fields; they hold no state. */
export function createReads(db: ReadDb): Reads {
  return {
    ...createIntakeReads(db),
    sessions: (args) => readSessionPage(db, args),
    activeSessions: () => readActiveSessions(db),
    filterOptions: () => readFilterOptions(db),
    systemWarnings: () => listWarnings(db.pool),
    apiTokens: () => readApiTokens(db),
    auditEvents: (args) => readAuditEvents(db, args),
    lastEventSeq: async (sessionId) => {
      const result = await db.pool.query<{ seq: number }>(
        'select last_event_seq as seq from alert_sessions where id = $1 and deleted_at is null',
        [sessionId],
      );
      return result.rows[0]?.seq ?? null;
    },
  };
}
