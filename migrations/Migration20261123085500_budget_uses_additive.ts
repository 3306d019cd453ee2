import { Migration } from '@mikro-orm/migrations';

/** What was used of budgets, so that it need not be added up before each call of a model. */
export class Migration20261123085500_budget_uses_additive extends Migration {
  override up(): void {
    this.addSql(
      `create table "budget_uses" ("name" text not null, "key" text not null, "period" date not null, "per" text not null, "used_usd" double precision not null default 0, "used_tokens" bigint not null default '0', primary key ("name", "key", "period", "per"))`,
    );
  }
}
