import { Migration } from '@mikro-orm/migrations';

/** Adds the requests of users in Slack, and messages about answers and approvals. */
export class Migration20261128141000_slack_requests_additive extends Migration {
  override up(): void {
    this.addSql(
      `create table "slack_requests" ("id" uuid not null, "key" text not null, "content" jsonb null, "status" text not null default 'WAITING', "attempts" int not null default 0, "due_at" timestamptz(3) not null default now(), "thread_ts" text null, "error" text null, "created_at" timestamptz(3) not null default now(), primary key ("id"))`,
    );
    this.addSql(`alter table "slack_requests" add constraint "slack_requests_key" unique ("key")`);
    this.addSql(
      `create index "slack_requests_open" on "slack_requests" ("due_at") where status in ('WAITING', 'ASKED')`,
    );
    this.addSql(`create index "slack_requests_created" on "slack_requests" ("created_at")`);
    this.addSql(`alter table "slack_posts" drop constraint "slack_posts_point_check"`);
    this.addSql(`alter table "slack_posts" add column "shown" text null`);
    this.addSql(
      `create index "slack_posts_thread" on "slack_posts" ("thread_ts") where thread_ts is not null`,
    );
    this.addSql(
      `create index "slack_posts_message" on "slack_posts" ("message_ts") where message_ts is not null`,
    );
  }
}
