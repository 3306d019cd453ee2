import { Migration } from '@mikro-orm/migrations';

/** Adds Slack messages about sessions, both posted and due. */
export class Migration20261122020500_slack_posts extends Migration {
  override up(): void {
    this.addSql(
      `create table "slack_posts" ("session_id" uuid not null, "point" text not null, "status" text not null default 'WAITING', "attempts" int not null default 0, "due_at" timestamptz(3) not null default now(), "sending_at" timestamptz(3) null, "thread_ts" text null, "message_ts" text null, "error" text null, "created_at" timestamptz(3) not null default now(), "posted_at" timestamptz(3) null, primary key ("session_id", "point"))`,
    );
    this.addSql(`create index "slack_posts_due" on "slack_posts" ("due_at") where "status" = 'WAITING'`);
    this.addSql(
      `alter table "slack_posts" add constraint "slack_posts_point_check" check ("point" in ('STARTED', 'TERMINAL'))`,
    );
    this.addSql(
      `alter table "slack_posts" add constraint "slack_posts_status_check" check ("status" in ('WAITING', 'POSTED', 'FAILED', 'SKIPPED'))`,
    );
    this.addSql(
      `alter table "slack_posts" add constraint "slack_posts_session_id_foreign" foreign key ("session_id") references "alert_sessions" ("id") on delete cascade`,
    );
  }
}
