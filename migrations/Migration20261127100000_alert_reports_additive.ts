import { Migration } from '@mikro-orm/migrations';

/** Adds when a source made its last report about an alert, because its reports may arrive in another order. */
export class Migration20261127100000_alert_reports_additive extends Migration {
  override up(): void {
    this.addSql('alter table "alerts" add column "reported_at" timestamptz(3) null');
  }
}
