import { Migration } from '@mikro-orm/migrations';

/** Reports alert changes to running investigations: two timeline event types, and the last one an agent received. */
export class Migration20261122234500_alert_news extends Migration {
  /** Not one transaction: holding the locks of several tables could deadlock with running processes. Safe to repeat. */
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`alter table "messages" add column if not exists "news_through" int null`);
    this.addSql(`alter table "timeline_events" drop constraint if exists "timeline_events_type_check"`);
    this.addSql(
      `create index if not exists "timeline_events_news" on "timeline_events" ("session_id", "sequence_number") where "type" in ('ALERT_JOINED', 'ALERT_RESOLVED')`,
    );
  }
}
