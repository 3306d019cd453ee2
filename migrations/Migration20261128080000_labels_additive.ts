import { Migration } from '@mikro-orm/migrations';

/** Adds the operator's labels to reports and, for lists, to sessions. */
export class Migration20261128080000_labels_additive extends Migration {
  /** Not one transaction, so that the lock for new columns is released before the index is built. */
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const table of ['reports', 'alert_sessions'])
      this.addSql(`alter table "${table}" add column if not exists "labels" text[] not null default '{}'`);
    this.addSql(
      `create index if not exists "alert_sessions_labels" on "alert_sessions" using gin ("labels") where "labels" <> '{}'`,
    );
  }
}
