import { Migration } from '@mikro-orm/migrations';

/** Adds system warnings and the health of the MCP servers. */
export class Migration20261122010000_system extends Migration {
  override up(): void {
    this.addSql(`
      create table "system_warnings" (
        "id" uuid not null,
        "category" text not null,
        "key" text not null default '',
        "message" text not null,
        "details" text null,
        "server_id" text null,
        "created_at" timestamptz(3) not null default now(),
        primary key ("id")
      )`);
    this.addSql(
      `alter table "system_warnings" add constraint "system_warnings_category_key" unique ("category", "key")`,
    );

    this.addSql(`
      create table "mcp_server_health" (
        "id" text not null,
        "checked_by" text not null,
        "lease_until" timestamptz(3) not null,
        "healthy" boolean not null default false,
        "last_checked_at" timestamptz(3) null,
        "error" text null,
        "tools" jsonb not null default '[]',
        primary key ("id")
      )`);
  }
}
