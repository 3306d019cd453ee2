import { Migration } from '@mikro-orm/migrations';

/** Records that a session was learned from, so that deleted memories are not learned again. */
export class Migration20261126001500_taught_sessions_additive extends Migration {
  override up(): void {
    this.addSql(`alter table "alert_sessions" add column "taught_at" timestamptz(3) null`);
  }
}
