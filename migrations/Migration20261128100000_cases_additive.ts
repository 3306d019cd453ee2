import { Migration } from '@mikro-orm/migrations';

/** Adds cases and their replays. Changes no existing table: a row of `replays` marks a session as a replay. */
export class Migration20261128100000_cases_additive extends Migration {
  override up(): void {
    this.addSql(
      `create table "cases" ("id" uuid not null, "name" text not null, "team" text null, "source_session_id" uuid null, "document" text not null, "hash" text not null, "alert_type" text not null, "world" text not null, "expectation" jsonb not null, "max_unrecorded_calls" int not null, "recorded_calls" int not null, "created_by" text not null, "created_at" timestamptz(3) not null default now(), primary key ("id"))`,
    );
    this.addSql(`create index "cases_created" on "cases" ("created_at", "id")`);
    this.addSql(`create index "cases_hash" on "cases" (hash)`);
    this.addSql(
      `create table "replays" ("id" uuid not null, "case_id" uuid not null, "session_id" uuid not null, "llm_provider" text null, "provider" text not null, "model" text not null, "config_hash" text not null, "cause" text null, "created_by" text not null, "created_at" timestamptz(3) not null default now(), primary key ("id"))`,
    );
    this.addSql(`alter table "replays" add constraint "replays_session_id_unique" unique ("session_id")`);
    this.addSql(`create index "replays_case" on "replays" ("case_id", "created_at", "id")`);
    this.addSql(
      `alter table "replays" add constraint "replays_case_id_foreign" foreign key ("case_id") references "cases" ("id") on delete cascade`,
    );
    this.addSql(
      `alter table "replays" add constraint "replays_session_id_foreign" foreign key ("session_id") references "alert_sessions" ("id") on delete cascade`,
    );
  }
}
