import { Migration } from '@mikro-orm/migrations';

/** Adds the users and groups of a directory, and the users to whom tokens belong. */
export class Migration20261128190000_directory_additive extends Migration {
  override up(): void {
    this.addSql(
      `create table "directory_users" ("id" uuid not null, "user_name" text not null, "external_id" text null, "emails" text[] not null, "names" text[] not null, "ended_at" timestamptz(3) null, "signed_out_at" timestamptz(3) null, "deleted_at" timestamptz(3) null, "created_at" timestamptz(3) not null default now(), "changed_at" timestamptz(3) not null default now(), primary key ("id"))`,
    );
    this.addSql(`create unique index "directory_users_user_name" on "directory_users" (lower("user_name"))`);
    this.addSql(`create index "directory_users_names" on "directory_users" using gin ("names")`);
    this.addSql(
      `create table "directory_groups" ("id" uuid not null, "display_name" text not null, "external_id" text null, "members" uuid[] not null, "created_at" timestamptz(3) not null default now(), "changed_at" timestamptz(3) not null default now(), primary key ("id"))`,
    );
    this.addSql(
      `create unique index "directory_groups_display_name" on "directory_groups" (lower("display_name"))`,
    );
    this.addSql(
      `alter table "api_tokens" add column "owner" text null, add column "owner_names" text[] null, add column "suspended_at" timestamptz(3) null`,
    );
  }
}
