import { Migration } from '@mikro-orm/migrations';

/** Adds streaming messages about the progress of a session. */
export class Migration20261128191000_slack_streams_additive extends Migration {
  override up(): void {
    this.addSql(
      `alter table "slack_posts" add column "recipient" text null, add column "streaming_since" timestamptz(3) null`,
    );
    this.addSql(
      `create index "slack_posts_progress" on "slack_posts" ("created_at") where point = 'PROGRESS'`,
    );
  }
}
