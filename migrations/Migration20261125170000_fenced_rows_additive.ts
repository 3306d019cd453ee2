import { Migration } from '@mikro-orm/migrations';

/** Tables that a run writes most. Each row is inserted while its session's row is locked, and deleted before it. */
const REFERENCES = {
  session_events: ['session_id'],
  timeline_events: ['session_id', 'stage_id', 'execution_id'],
  messages: ['session_id', 'stage_id', 'execution_id'],
  llm_interactions: ['session_id', 'stage_id', 'execution_id'],
  mcp_interactions: ['session_id', 'stage_id', 'execution_id'],
};

/**
 * Drops foreign keys that the fence of a run makes redundant. Checking them took a seventh of the database's work for an
 * investigation.
 */
export class Migration20261125170000_fenced_rows_additive extends Migration {
  /** Not one transaction, so that it never holds locks of several tables. Safe to repeat. */
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const [table, columns] of Object.entries(REFERENCES))
      for (const column of columns)
        this.addSql(`alter table "${table}" drop constraint if exists "${table}_${column}_foreign"`);
    this.addSql(`drop index if exists "messages_stage"`); // served the deletion of stages
  }
}
