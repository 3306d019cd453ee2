import { Migration } from '@mikro-orm/migrations';

/** Sessions whose wait for more alerts is over are looked for each second. */
export class Migration20261122235500_due_sessions_additive extends Migration {
  override up(): void {
    this.addSql(
      `create index "alert_sessions_due" on "alert_sessions" ("run_at") where "run_at" is not null and "status" = 'PENDING'`,
    );
  }
}
