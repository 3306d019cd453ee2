import { Migration } from '@mikro-orm/migrations';

/** Adds the checked reports of answers to questions. */
export class Migration20261123123500_answer_reports_additive extends Migration {
  override up(): void {
    this.addSql(
      `create table "answer_reports" ("stage_id" uuid not null, "session_id" uuid not null, "evidence_score" double precision null, "claims" jsonb not null, "created_at" timestamptz(3) not null default now(), primary key ("stage_id"))`,
    );
    this.addSql(
      `alter table "answer_reports" add constraint "answer_reports_stage_id_foreign" foreign key ("stage_id") references "stages" ("id") on update cascade on delete cascade`,
    );
  }
}
