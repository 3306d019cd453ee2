import { Migration } from '@mikro-orm/migrations';

/** Adds an index for sessions whose wait for more alerts has ended, polled each second. */
export class Migration20261122235500_due_sessions_additive extends Migration {
  override up(): void {
    this.addSql(
      `create index "alert_sessions_due" on "alert_sessions" ("run_at") where "run_at" is not null and "status" = 'PENDING'`,
    );
  }
}
