import { Migration } from '@mikro-orm/migrations';

/** Adds the hypotheses of agents. */
export class Migration20261128100000_hypotheses_additive extends Migration {
  override up(): void {
    this.addSql(
      `create table "hypotheses" ("id" uuid not null, "session_id" uuid not null, "execution_id" uuid not null, "number" int not null, "text" text not null, "state" text not null, "citations" jsonb not null, "facts" jsonb not null, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now(), primary key ("id"))`,
    );
    this.addSql(
      `alter table "hypotheses" add constraint "hypotheses_number" unique ("execution_id", "number")`,
    );
    this.addSql(`create index "hypotheses_session" on "hypotheses" ("session_id", "id")`);
    this.addSql(
      `alter table "hypotheses" add constraint "hypotheses_session_id_foreign" foreign key ("session_id") references "alert_sessions" ("id") on delete cascade`,
    );
  }
}
