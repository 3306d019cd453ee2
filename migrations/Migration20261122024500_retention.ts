import { Migration } from '@mikro-orm/migrations';

/** Adds indexes that find old and hidden sessions, and sessions by duration. */
export class Migration20261122024500_retention extends Migration {
  override up(): void {
    this.addSql(
      `create index "alert_sessions_old" on "alert_sessions" ("completed_at") where "deleted_at" is null`,
    );
    this.addSql(
      `create index "alert_sessions_deleted" on "alert_sessions" ("deleted_at", "id") where "deleted_at" is not null`,
    );
    this.addSql(
      `create index "alert_sessions_duration" on "alert_sessions" ((coalesce((extract(epoch from completed_at - started_at) * 1000)::bigint, -1)), "created_at", "id")`,
    );
  }
}
