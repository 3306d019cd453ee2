import { Migration } from '@mikro-orm/migrations';

/** Adds the used amounts of budgets, so that they need not be summed before each model call. */
export class Migration20261123085500_budget_uses_additive extends Migration {
  override up(): void {
    this.addSql(
      `create table "budget_uses" ("name" text not null, "key" text not null, "period" date not null, "per" text not null, "used_usd" double precision not null default 0, "used_tokens" bigint not null default '0', primary key ("name", "key", "period", "per"))`,
    );
  }
}
