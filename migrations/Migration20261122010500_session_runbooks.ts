import { Migration } from '@mikro-orm/migrations';

/** Adds the runbook of a session, fetched once. */
export class Migration20261122010500_session_runbooks extends Migration {
  override up(): void {
    this.addSql(
      `create table "session_runbooks" ("session_id" uuid not null, "content" text null, "problem" text null, "created_at" timestamptz(3) not null default now(), primary key ("session_id"))`,
    );
    this.addSql(
      `alter table "session_runbooks" add constraint "session_runbooks_session_id_foreign" foreign key ("session_id") references "alert_sessions" ("id") on update cascade on delete cascade`,
    );
  }
}
