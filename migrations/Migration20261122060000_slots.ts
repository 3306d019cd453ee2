import { Migration } from '@mikro-orm/migrations';

/** Adds an index that counts occupied slots without reading waiting sessions. Building it is fast, because it holds few rows. */
export class Migration20261122060000_slots extends Migration {
  override up(): void {
    this.addSql(
      `create index "alert_sessions_slots" on "alert_sessions" ("dispatched_at") where "dispatched_at" is not null`,
    );
  }
}
