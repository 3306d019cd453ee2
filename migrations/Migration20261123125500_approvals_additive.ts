import { Migration } from '@mikro-orm/migrations';

/** Adds tool calls that need approval. */
export class Migration20261123125500_approvals_additive extends Migration {
  override up(): void {
    this.addSql(
      `create table "approvals" ("id" uuid not null, "session_id" uuid not null, "stage_id" uuid not null, "execution_id" uuid not null, "timeline_event_id" uuid not null, "message_sequence" int not null, "tool_call_id" text not null, "server" text not null, "tool" text not null, "arguments" jsonb not null, "sealed_arguments" text null, "arguments_hash" text not null, "schema_hash" text not null, "policy" text not null, "reason" text null, "asked_by" text null, "provenance" jsonb not null, "dry_run" text null, "status" text not null default 'PENDING', "required_approvals" int not null, "requested_at" timestamptz(3) not null default now(), "expires_at" timestamptz(3) not null, "decided_at" timestamptz(3) null, "executing_at" timestamptz(3) null, "executed_at" timestamptz(3) null, "error_message" text null, "updated_at" timestamptz(3) not null default now(), primary key ("id"))`,
    );
    this.addSql(
      `alter table "approvals" add constraint "approvals_call" unique ("execution_id", "message_sequence", "tool_call_id")`,
    );
    this.addSql(`create index "approvals_session" on "approvals" ("session_id", "requested_at", "id")`);
    this.addSql(`create index "approvals_updated" on "approvals" ("updated_at")`);
    this.addSql(
      `create index "approvals_pending" on "approvals" ("requested_at", "id") where "status" = 'PENDING'`,
    );
    this.addSql(
      `alter table "approvals" add constraint "approvals_session_id_foreign" foreign key ("session_id") references "alert_sessions" ("id") on delete cascade`,
    );
  }
}
