import { Migration } from '@mikro-orm/migrations';

/** Adds the activity log of reviews. */
export class Migration20261123032000_review_activities_additive extends Migration {
  override up(): void {
    this.addSql(
      `create table "review_activities" ("id" uuid not null, "session_id" uuid not null, "at" timestamptz(3) not null default now(), "actor" text not null, "action" text not null, "note" text null, primary key ("id"))`,
    );
    this.addSql(
      `create index "review_activities_session_id_at_id_index" on "review_activities" ("session_id", "at", "id")`,
    );
    this.addSql(
      `alter table "review_activities" add constraint "review_activities_session_id_foreign" foreign key ("session_id") references "alert_sessions" ("id") on delete cascade`,
    );
  }
}
