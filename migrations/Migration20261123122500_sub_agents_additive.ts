import { Migration } from '@mikro-orm/migrations';

/** Adds parent and task of sub-agent executions. */
export class Migration20261123122500_sub_agents_additive extends Migration {
  override up(): void {
    this.addSql(
      `alter table "agent_executions" add column "parent_execution_id" uuid null, add column "task" text null`,
    );
  }
}
