import { Migration } from '@mikro-orm/migrations';

/** Adds the index that finds messages about running sessions. */
export class Migration20261128145000_slack_progress_additive extends Migration {
  override up(): void {
    this.addSql(`create index "slack_posts_started" on "slack_posts" ("posted_at") where point = 'STARTED'`);
  }
}
