import { Migration } from '@mikro-orm/migrations';

/** Counts the slots that are held without reading every waiting session. Holds few rows, so it is made at once. */
export class Migration20261122060000_slots extends Migration {
  override up(): void {
    this.addSql(
      `create index "alert_sessions_slots" on "alert_sessions" ("dispatched_at") where "dispatched_at" is not null`,
    );
  }
}
