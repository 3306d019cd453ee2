import { Migration } from '@mikro-orm/migrations';

/** Running investigations are told what becomes of their alerts: two kinds of timeline events, and how far an agent was told. */
export class Migration20261122234500_alert_news extends Migration {
  override up(): void {
    this.addSql(`alter table "messages" add column "news_through" int null`);
    this.addSql(`alter table "timeline_events" drop constraint "timeline_events_type_check"`);
    this.addSql(
      `alter table "timeline_events" add constraint "timeline_events_type_check" check ("type" in ('LLM_THINKING', 'LLM_RESPONSE', 'LLM_TOOL_CALL', 'MCP_TOOL_SUMMARY', 'ERROR', 'USER_QUESTION', 'EXECUTIVE_SUMMARY', 'FINAL_ANALYSIS', 'CODE_EXECUTION', 'GOOGLE_SEARCH_RESULT', 'URL_CONTEXT_RESULT', 'ALERT_JOINED', 'ALERT_RESOLVED'))`,
    );
    this.addSql(
      `create index "timeline_events_news" on "timeline_events" ("session_id", "sequence_number") where "type" in ('ALERT_JOINED', 'ALERT_RESOLVED')`,
    );
  }
}
