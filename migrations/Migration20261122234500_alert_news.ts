import { Migration } from '@mikro-orm/migrations';

/** Running investigations are told what becomes of their alerts: two kinds of timeline events, and how far an agent was told. */
export class Migration20261122234500_alert_news extends Migration {
  /** Each table by itself: who held the locks of several would wait for those that wait for it. It can be begun again. */
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
