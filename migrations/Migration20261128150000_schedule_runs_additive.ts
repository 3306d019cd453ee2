import { Migration } from '@mikro-orm/migrations';

/** Adds the runs of schedules. */
export class Migration20261128150000_schedule_runs_additive extends Migration {
  override up(): void {
    this.addSql(
      `create table "schedule_runs" ("id" uuid not null, "schedule" text not null, "cause" text not null, "basis" text not null, "due_at" timestamptz(3) not null, "session_id" uuid null, primary key ("id"))`,
    );
    this.addSql(
      `alter table "schedule_runs" add constraint "schedule_runs_once" unique ("schedule", "cause", "basis", "due_at")`,
    );
    this.addSql(`create index "schedule_runs_session" on "schedule_runs" ("session_id")`);
  }
}
