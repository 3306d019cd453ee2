import { Migration } from '@mikro-orm/migrations';

/** That a session taught what it could outlives its memories: what was forgotten for good is not learned anew. */
export class Migration20261126001500_taught_sessions_additive extends Migration {
  override up(): void {
    this.addSql(`alter table "alert_sessions" add column "taught_at" timestamptz(3) null`);
  }
}
