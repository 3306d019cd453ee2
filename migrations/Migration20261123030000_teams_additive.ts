import { Migration } from '@mikro-orm/migrations';

/** Whose investigations are, and whose alerts a silence covers. */
export class Migration20261123030000_teams_additive extends Migration {
  /** Each table by itself: who held the locks of several would wait for those that wait for it. It can be begun again. */
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`alter table "alert_sessions" add column if not exists "team" text null`);
    this.addSql(`alter table "silences" add column if not exists "teams" text[] null`);
  }
}
