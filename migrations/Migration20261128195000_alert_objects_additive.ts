import { Migration } from '@mikro-orm/migrations';

/** Adds the sender's id of the object that an alert is about, for write-backs. */
export class Migration20261128195000_alert_objects_additive extends Migration {
  override up(): void {
    this.addSql(`alter table "alerts" add column "object_id" text null`);
  }
}
