import { Migration } from '@mikro-orm/migrations';

/** Adds the views of lists that users save for themselves or for a team. */
export class Migration20261128120000_saved_views_additive extends Migration {
  override up(): void {
    this.addSql(
      `create table "saved_views" ("id" uuid not null, "page" text not null, "name" text not null, "parameters" text not null, "team" text null, "owner" text not null, "created_at" timestamptz(3) not null default now(), primary key ("id"))`,
    );
    this.addSql(
      `create unique index "saved_views_private" on "saved_views" ("owner", "page", "name") where "team" is null`,
    );
    this.addSql(
      `create unique index "saved_views_team" on "saved_views" ("team", "page", "name") where "team" is not null`,
    );
  }
}
