import { Migration } from '@mikro-orm/migrations';

/** What a run writes most of; each row is inserted beside the locked row of its session, and removed before it. */
const REFERENCES = {
  session_events: ['session_id'],
  timeline_events: ['session_id', 'stage_id', 'execution_id'],
  messages: ['session_id', 'stage_id', 'execution_id'],
  llm_interactions: ['session_id', 'stage_id', 'execution_id'],
  mcp_interactions: ['session_id', 'stage_id', 'execution_id'],
};

/**
 * The fence of a run says what its rows belong to. That the database looked at each of the three again was a seventh of what it
 * had to do for an investigation.
 */
export class Migration20261125170000_fenced_rows_additive extends Migration {
  /** Each key by itself: nobody waits for the locks of several tables. It can be begun again. */
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const [table, columns] of Object.entries(REFERENCES))
      for (const column of columns)
        this.addSql(`alter table "${table}" drop constraint if exists "${table}_${column}_foreign"`);
    this.addSql(`drop index if exists "messages_stage"`); // for stages that were removed
  }
}
