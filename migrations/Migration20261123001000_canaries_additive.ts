import { Migration } from '@mikro-orm/migrations';

/** Adds canaries: alerts that prove that alerts arrive and are investigated. */
export class Migration20261123001000_canaries_additive extends Migration {
  override up(): void {
    this.addSql(
      `create table "canaries" ("source" text not null, "rule" text not null, "arrived_at" timestamptz(3) null, "session_id" uuid null, "completed_at" timestamptz(3) null, "duration_ms" int null, "error" text null, primary key ("source", "rule"))`,
    );
  }
}
