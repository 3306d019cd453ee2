import { Migration } from '@mikro-orm/migrations';

/** Adds the decisions about approvals. */
export class Migration20261123125600_approval_decisions_additive extends Migration {
  override up(): void {
    this.addSql(
      `create table "approval_decisions" ("id" uuid not null, "approval_id" uuid not null, "at" timestamptz(3) not null default now(), "actor" text not null, "approved" boolean not null, "comment" text null, primary key ("id"))`,
    );
    this.addSql(
      `alter table "approval_decisions" add constraint "approval_decisions_actor" unique ("approval_id", "actor")`,
    );
    this.addSql(
      `alter table "approval_decisions" add constraint "approval_decisions_approval_id_foreign" foreign key ("approval_id") references "approvals" ("id") on delete cascade`,
    );
  }
}
