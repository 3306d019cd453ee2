import { Migration } from '@mikro-orm/migrations';

/** Stores when a responder asked a running session to conclude. */
export class Migration20261128100000_conclude_requests_additive extends Migration {
  override up(): void {
    this.addSql(
      `alter table "alert_sessions" add column if not exists "conclude_requested_at" timestamptz(3) null`,
    );
  }
}
