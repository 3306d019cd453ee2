import { Migration } from '@mikro-orm/migrations';

/** Adds API tokens and the audit log. */
export class Migration20261122235500_access_additive extends Migration {
  override up(): void {
    this.addSql(
      `create table "api_tokens" ("id" uuid not null, "name" text not null, "prefix" text not null, "hash" text not null, "scopes" text[] not null, "team" text null, "created_by" text not null, "created_at" timestamptz(3) not null default now(), "expires_at" timestamptz(3) null, "last_used_at" timestamptz(3) null, "revoked_at" timestamptz(3) null, primary key ("id"))`,
    );
    this.addSql(`alter table "api_tokens" add constraint "api_tokens_hash" unique ("hash")`);
    this.addSql(
      `create table "audit_events" ("id" uuid not null, "at" timestamptz(3) not null default now(), "actor" text not null, "action" text not null, "target_type" text null, "target_id" uuid null, "detail" jsonb null, "via" text not null, "address" text null, primary key ("id"))`,
    );
    this.addSql(`create index "audit_events_page" on "audit_events" ("at", "id")`);
    this.addSql(`create index "audit_events_target" on "audit_events" ("target_id", "at", "id")`);
    this.addSql(
      `create or replace function tarsy_audit_is_kept() returns trigger language plpgsql as $$ begin raise exception 'audit events are never updated'; end $$`,
    );
    this.addSql(
      `create or replace trigger "audit_events_kept" before update on "audit_events" for each row execute function tarsy_audit_is_kept()`,
    );
  }
}
