import { Migration } from '@mikro-orm/migrations';

/**
 * Adds an index that counts the sessions of a filter without reading their wide rows, which took 100 ms for 100,000 sessions.
 * Replaces the index for pages, which has the same order. Building it blocks writers for about half a second per 100,000
 * sessions; CONCURRENTLY would wait for other processes that wait for this migration.
 */
export class Migration20261122072000_shown_sessions extends Migration {
  override up(): void {
    this.addSql(
      `create index "alert_sessions_shown" on "alert_sessions" ("created_at", "id") include ("status", "alert_type", "chain_id", "author") where "deleted_at" is null`,
    );
    this.addSql(`drop index "alert_sessions_page"`);
  }
}
