import { Migration } from '@mikro-orm/migrations';

/**
 * Adds the headline data of an alert. A background task fills it in for rows of older versions, which the index lists;
 * otherwise that index is empty.
 */
export class Migration20261123040000_headlines_additive extends Migration {
  /** Not one transaction, so that the lock for new columns is released before the index is built. */
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
