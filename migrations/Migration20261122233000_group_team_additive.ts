import { Migration } from '@mikro-orm/migrations';

/** Adds the team of an alert group. */
export class Migration20261122233000_group_team_additive extends Migration {
  override up(): void {
    this.addSql(`alter table "alert_groups" add "team" text null`);
  }
}
