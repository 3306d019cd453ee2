import { Migration } from '@mikro-orm/migrations';

const WORDS = {
  alert_sessions: ['status'],
  session_events: ['type'],
  stages: ['type', 'status', 'parallel_type', 'success_policy'],
  agent_executions: ['iteration_strategy', 'status'],
  messages: ['role'],
  mcp_interactions: ['type'],
  llm_interactions: ['type'],
  timeline_events: ['type', 'status'],
};

/**
 * Drops the CHECK constraints of enum columns in large tables, because each new value locked and scanned a table. Dropping
 * reads no rows, and the previous version keeps working.
 */
export class Migration20261123003500_words_additive extends Migration {
  /** Not one transaction: holding the locks of several tables could deadlock with running processes. */
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const [table, columns] of Object.entries(WORDS)) {
      const drops = columns.map((column) => `drop constraint if exists "${table}_${column}_check"`);
      this.addSql(`alter table "${table}" ${drops.join(', ')}`);
    }
  }
}
