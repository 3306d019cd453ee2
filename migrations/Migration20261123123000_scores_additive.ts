import { Migration } from '@mikro-orm/migrations';

/** Adds scores of investigations. */
export class Migration20261123123000_scores_additive extends Migration {
  override up(): void {
    this.addSql(
      `create table "scores" ("id" uuid not null, "session_id" uuid not null, "status" text not null default 'PENDING', "requested_by" text not null, "attempt" int not null default 0, "workers_lost" int not null default 0, "lease_expires_at" timestamptz(3) null, "cancel_requested_at" timestamptz(3) null, "total" int null, "dimensions" jsonb null, "failure_tags" text[] not null default '{}', "analysis" text null, "tool_report" text null, "model_name" text null, "prompt_hash" text null, "error_message" text null, "created_at" timestamptz(3) not null default now(), "started_at" timestamptz(3) null, "completed_at" timestamptz(3) null, primary key ("id"))`,
    );
    this.addSql(`create index "scores_session_id_id_index" on "scores" ("session_id", "id")`);
    this.addSql(
      `create unique index "scores_open" on "scores" ("session_id") where "status" in ('PENDING', 'IN_PROGRESS')`,
    );
    this.addSql(
      `alter table "scores" add constraint "scores_session_id_foreign" foreign key ("session_id") references "alert_sessions" ("id") on delete cascade`,
    );
  }
}
