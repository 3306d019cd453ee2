import { Migration } from '@mikro-orm/migrations';

/**
 * Pages, counts and choices of who sees some teams only, without reading what is of others. To make it keeps writers waiting for
 * about half a second each 100,000 sessions.
 */
export class Migration20261123034500_teams_pages_additive extends Migration {
  override up(): void {
    this.addSql(
      `create index "alert_sessions_team" on "alert_sessions" (coalesce("team", ''), "created_at", "id") include ("status", "alert_type", "chain_id", "author") where "deleted_at" is null`,
    );
  }
}
