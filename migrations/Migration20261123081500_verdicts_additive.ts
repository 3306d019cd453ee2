import { Migration } from '@mikro-orm/migrations';

/** Adds verdict and confidence of reports to sessions, for lists and track records. */
export class Migration20261123081500_verdicts_additive extends Migration {
  /** Not one transaction, so that the lock for new columns is released before the indexes are built. */
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(
      `alter table "alert_sessions" add column if not exists "verdict" text null, add column if not exists "confidence" double precision null`,
    );
    this.addSql(
      `create index if not exists "alert_sessions_verdict" on "alert_sessions" ("verdict", "created_at", "id") where "verdict" is not null`,
    );
    this.addSql(
      `create index if not exists "alert_sessions_record" on "alert_sessions" ("alert_type", "chain_id", "verdict") include ("rating", "confidence", "team", "created_at") where "rating" is not null and "verdict" is not null and "deleted_at" is null`,
    );
  }
}
