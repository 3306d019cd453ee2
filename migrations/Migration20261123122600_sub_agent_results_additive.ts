import { Migration } from '@mikro-orm/migrations';

/** Adds to messages the sub-agent whose result they report. */
export class Migration20261123122600_sub_agent_results_additive extends Migration {
  override up(): void {
    this.addSql(`alter table "messages" add column "sub_agent_id" uuid null`);
  }
}
