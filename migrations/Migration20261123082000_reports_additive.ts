import { Migration } from '@mikro-orm/migrations';

/** Adds the checked reports of investigations. */
export class Migration20261123082000_reports_additive extends Migration {
  override up(): void {
    this.addSql(
      `create table "reports" ("session_id" uuid not null, "verdict" text not null, "headline" text not null, "confidence" double precision not null, "entities" text[] not null, "evidence_score" double precision null, "claims" jsonb not null, "created_at" timestamptz(3) not null default now(), primary key ("session_id"))`,
    );
    this.addSql(
      `alter table "reports" add constraint "reports_session_id_foreign" foreign key ("session_id") references "alert_sessions" ("id") on update cascade on delete cascade`,
    );
  }
}
