import { Migration } from '@mikro-orm/migrations';

/** Adds the originally configured provider of an execution that fell back to another. */
export class Migration20261123121500_provider_fallback_additive extends Migration {
  override up(): void {
    this.addSql('alter table "agent_executions" add column if not exists "original_llm_provider" text null');
  }
}
