import { Migration } from '@mikro-orm/migrations';

/** Adds an index for postponed groups, which are polled every few seconds. */
export class Migration20261126010000_put_off_groups_additive extends Migration {
  override up(): void {
    this.addSql(
      `create index "alert_groups_put_off" on "alert_groups" ("id") where "resolved_at" is null and "last_outcome" in ('SILENCED', 'FLAPPING', 'OVER_BUDGET')`,
    );
  }
}
