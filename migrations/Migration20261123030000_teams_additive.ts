import { Migration } from '@mikro-orm/migrations';

/** Adds the team of a session and the teams of a silence. */
export class Migration20261123030000_teams_additive extends Migration {
  /** Not one transaction: holding the locks of several tables could deadlock with running processes. Safe to repeat. */
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`alter table "alert_sessions" add column if not exists "team" text null`);
    this.addSql(`alter table "silences" add column if not exists "teams" text[] null`);
  }
}
