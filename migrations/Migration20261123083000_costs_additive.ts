import { Migration } from '@mikro-orm/migrations';

/** Adds the cost of model calls. Older rows hold null, which means that their calls must be summed. */
export class Migration20261123083000_costs_additive extends Migration {
  /** Not one transaction, so that each lock is released early, also before the index is built. Safe to repeat. */
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const table of ['alert_sessions', 'agent_executions']) {
      this.addSql(
        `alter table "${table}" add column if not exists "cost_usd" double precision not null default 0, add column if not exists "unpriced_calls" int null`,
      );
      this.addSql(`alter table "${table}" alter column "unpriced_calls" set default 0`);
    }
    this.addSql(`alter table "llm_interactions" add column if not exists "cost_usd" double precision null`);
    this.addSql(
      `create index if not exists "llm_interactions_usage" on "llm_interactions" ("created_at") include ("session_id", "model_name", "input_tokens", "output_tokens", "thinking_tokens", "total_tokens", "cached_read_tokens", "cache_write_tokens", "cost_usd")`,
    );
  }
}
