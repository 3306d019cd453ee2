import { Migration } from '@mikro-orm/migrations';

/** Adds the time that sessions waited for approval, which does not count towards their time limit. */
export class Migration20261123125700_parked_sessions_additive extends Migration {
  override up(): void {
    this.addSql(
      `alter table "alert_sessions" add column "parked_at" timestamptz(3) null, add column "waited_ms" bigint not null default '0'`,
    );
  }
}
