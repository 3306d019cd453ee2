import { Migration } from '@mikro-orm/migrations';

/** The provider that was configured for an agent's work, where another took over. */
export class Migration20261123121500_provider_fallback_additive extends Migration {
  override up(): void {
    this.addSql('alter table "agent_executions" add column if not exists "original_llm_provider" text null');
  }
}
