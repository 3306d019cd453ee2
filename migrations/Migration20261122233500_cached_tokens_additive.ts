import { Migration } from '@mikro-orm/migrations';

/** Adds counts of input tokens read from, or written to, the provider's cache. */
export class Migration20261122233500_cached_tokens_additive extends Migration {
  /** Not one transaction: holding the locks of several tables could deadlock with running processes. Safe to repeat. */
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
