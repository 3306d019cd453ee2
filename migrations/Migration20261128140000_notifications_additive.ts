import { Migration } from '@mikro-orm/migrations';

/** Adds notifications about events, both sent and due. */
export class Migration20261128140000_notifications_additive extends Migration {
  override up(): void {
    this.addSql(
      `create table "notification_deliveries" ("id" uuid not null, "channel" text not null, "kind" text not null, "event" text not null, "event_key" text not null, "session_id" uuid null, "notice" jsonb not null, "status" text not null default 'PENDING', "attempts" int not null default 0, "due_at" timestamptz(3) not null default now(), "queued_at" timestamptz(3) not null default now(), "last_error" text null, "created_at" timestamptz(3) not null default now(), "ended_at" timestamptz(3) null, primary key ("id"))`,
    );
    this.addSql(
      `alter table "notification_deliveries" add constraint "notification_deliveries_event" unique ("channel", "event_key")`,
    );
    this.addSql(
      `create index "notification_deliveries_due" on "notification_deliveries" ("channel", "due_at") where "status" = 'PENDING'`,
    );
    this.addSql(
      `create index "notification_deliveries_created" on "notification_deliveries" ("created_at", "id")`,
    );
    this.addSql(
      `create index "notification_deliveries_channel" on "notification_deliveries" ("channel", "created_at", "id")`,
    );
    this.addSql(`create index "notification_deliveries_session" on "notification_deliveries" ("session_id")`);
    this.addSql(
      `alter table "notification_deliveries" add constraint "notification_deliveries_session_id_foreign" foreign key ("session_id") references "alert_sessions" ("id") on delete cascade`,
    );
  }
}
