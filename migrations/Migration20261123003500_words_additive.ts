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
 * Takes the CHECKs off the words of large tables: a new word had to lock a table and read all of it. Nothing is read for
 * that, and the version before works on.
 */
export class Migration20261123003500_words_additive extends Migration {
  /** Each table by itself: who held the locks of several would wait for those that wait for it. */
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
