import { Migration } from '@mikro-orm/migrations';

/**
 * What an alert is about, read from it once. Processes of before store none, and rows of before have none: a job reads those
 * that the index holds, which is empty otherwise.
 */
export class Migration20261123040000_headlines_additive extends Migration {
  /** The index is built after the lock that new columns need was given back. */
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(
      `alter table "alert_sessions" add column if not exists "title" text null, add column if not exists "severity" text null,
         add column if not exists "entities" text[] null`,
    );
    this.addSql(
      `create index if not exists "alert_sessions_untitled" on "alert_sessions" ("id") where "title" is null`,
    );
  }
}
