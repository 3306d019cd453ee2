import { Migration } from '@mikro-orm/migrations';

/** Keeps how much of what a model read came from its provider's cache, or was written to it. */
export class Migration20261122233500_cached_tokens_additive extends Migration {
  /** Each table by itself: who held the locks of several would wait for those that wait for it. It can be begun again. */
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const table of ['alert_sessions', 'agent_executions', 'llm_interactions']) {
      this.addSql(
        `alter table "${table}" add column if not exists "cached_read_tokens" bigint not null default '0', add column if not exists "cache_write_tokens" bigint not null default '0'`,
      );
    }
  }
}
