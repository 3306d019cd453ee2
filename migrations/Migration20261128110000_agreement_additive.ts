import { Migration } from '@mikro-orm/migrations';

/** Adds the agreement of replicas to reports. */
export class Migration20261128110000_agreement_additive extends Migration {
  override up(): void {
    this.addSql(`alter table "reports" add column if not exists "agreement" jsonb null`);
  }
}
