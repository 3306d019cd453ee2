import { Migration } from '@mikro-orm/migrations';

/** How long sessions waited for people: that is no part of the time that they may take. */
export class Migration20261123125700_parked_sessions_additive extends Migration {
  override up(): void {
    this.addSql(
      `alter table "alert_sessions" add column "parked_at" timestamptz(3) null, add column "waited_ms" bigint not null default '0'`,
    );
  }
}
