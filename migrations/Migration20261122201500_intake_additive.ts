import { Migration } from '@mikro-orm/migrations';

/** Adds alerts of monitoring systems, their groups, the decisions about them, and silences. */
export class Migration20261122201500_intake_additive extends Migration {
  override up(): void {
    this.addSql(
      `create table "alert_groups" ("id" uuid not null, "source" text not null, "group_key" text not null, "title" text not null, "severity" text not null, "state" text not null, "alert_type" text not null, "alert_count" int not null default 0, "firing_count" int not null default 0, "flapping" boolean not null default false, "last_outcome" text null, "session_id" uuid null, "investigated_at" timestamptz(3) null, "investigated_severity" text null, "investigated_names" text[] null, "longest_gap_ms" bigint not null default '0', "opened_at" timestamptz(3) not null, "last_received_at" timestamptz(3) not null, "resolved_at" timestamptz(3) null, "is_stale" boolean not null default false, primary key ("id"))`,
    );
    this.addSql(
      `create table "alerts" ("id" uuid not null, "group_id" uuid not null, "source" text not null, "fingerprint" text not null, "title" text not null, "severity" text not null, "state" text not null, "labels" jsonb not null, "annotations" jsonb not null, "url" text null, "episode" text null, "starts_at" timestamptz(3) not null, "sent_starts_at" timestamptz(3) null, "ends_at" timestamptz(3) null, "deliveries" bigint not null default '1', "first_received_at" timestamptz(3) not null, "last_received_at" timestamptz(3) not null, "excluded" boolean not null default false, "rule" text null, primary key ("id"))`,
    );
    this.addSql(
      `create table "alert_submissions" ("author" text not null, "idempotency_key" text not null, "content_hash" text not null, "session_id" uuid not null, "created_at" timestamptz(3) not null default now(), primary key ("author", "idempotency_key"))`,
    );
    this.addSql(
      `create table "intake_deliveries" ("id" uuid not null, "source" text not null, "delivery_key" text null, "received_at" timestamptz(3) not null, "alerts" int not null, primary key ("id"))`,
    );
    this.addSql(
      `create table "silences" ("id" uuid not null, "matchers" text[] not null, "comment" text not null, "created_by" text not null, "created_at" timestamptz(3) not null default now(), "starts_at" timestamptz(3) not null, "ends_at" timestamptz(3) not null, "ended_by" text null, "matched_count" bigint not null default '0', primary key ("id"))`,
    );
    this.addSql(
      `create table "intake_decisions" ("id" uuid not null, "at" timestamptz(3) not null default now(), "source" text not null, "outcome" text not null, "reason" text not null, "rule" text null, "alert_id" uuid null, "group_id" uuid null, "session_id" uuid null, "silence_id" uuid null, "code" text null, "minute" timestamptz(3) null, "count" int not null default 1, primary key ("id"))`,
    );
    this.addSql(
      `alter table "alert_sessions" add "group_id" uuid null, add "run_at" timestamptz(3) null, add "resolved_at" timestamptz(3) null`,
    );
    this.addSql(
      `create index "alert_sessions_group" on "alert_sessions" ("group_id") where "group_id" is not null`,
    );
    this.addSql(
      `create unique index "alert_groups_open" on "alert_groups" ("source", "group_key") where "resolved_at" is null`,
    );
    this.addSql(`create index "alert_groups_key" on "alert_groups" ("source", "group_key", "opened_at")`);
    this.addSql(`create index "alert_groups_page" on "alert_groups" ("last_received_at", "id")`);
    this.addSql(
      `create index "alert_groups_investigated" on "alert_groups" ("source", "investigated_at") where "investigated_at" is not null`,
    );
    this.addSql(
      `create index "alert_groups_session" on "alert_groups" ("session_id") where "session_id" is not null`,
    );
    this.addSql(`create index "alerts_group" on "alerts" ("group_id", "state", "starts_at", "id")`);
    this.addSql(`alter table "alerts" add constraint "alerts_fingerprint" unique ("source", "fingerprint")`);
    this.addSql(`create index "alert_submissions_old" on "alert_submissions" ("created_at")`);
    this.addSql(`create index "alert_submissions_session" on "alert_submissions" ("session_id")`);
    this.addSql(
      `create unique index "intake_deliveries_once" on "intake_deliveries" ("source", "delivery_key") where "delivery_key" is not null`,
    );
    this.addSql(`create index "intake_deliveries_source" on "intake_deliveries" ("source", "received_at")`);
    this.addSql(`create index "silences_end" on "silences" ("ends_at", "id")`);
    this.addSql(`create index "intake_decisions_page" on "intake_decisions" ("at", "id")`);
    this.addSql(`create index "intake_decisions_group" on "intake_decisions" ("group_id", "at", "id")`);
    this.addSql(
      `create index "intake_decisions_alert" on "intake_decisions" ("alert_id") where "alert_id" is not null`,
    );
    this.addSql(
      `create index "intake_decisions_session" on "intake_decisions" ("session_id") where "session_id" is not null`,
    );
    this.addSql(
      `create index "intake_decisions_silence" on "intake_decisions" ("silence_id") where "silence_id" is not null`,
    );
    this.addSql(
      `create unique index "intake_decisions_rejected" on "intake_decisions" ("source", "code", "minute") where "code" is not null`,
    );
    this.addSql(
      `alter table "alert_groups" add constraint "alert_groups_severity_check" check ("severity" in ('CRITICAL', 'ERROR', 'WARNING', 'INFO', 'UNKNOWN'))`,
    );
    this.addSql(
      `alter table "alert_groups" add constraint "alert_groups_state_check" check ("state" in ('FIRING', 'RESOLVED'))`,
    );
    this.addSql(
      `alter table "alert_groups" add constraint "alert_groups_last_outcome_check" check ("last_outcome" in ('INVESTIGATED', 'JOINED', 'DUPLICATE', 'RECENTLY_INVESTIGATED', 'EXCLUDED', 'SILENCED', 'STORM', 'FLAPPING', 'OVER_BUDGET', 'RESOLVED', 'CANARY', 'REJECTED'))`,
    );
    this.addSql(
      `alter table "alert_groups" add constraint "alert_groups_investigated_severity_check" check ("investigated_severity" in ('CRITICAL', 'ERROR', 'WARNING', 'INFO', 'UNKNOWN'))`,
    );
    this.addSql(
      `alter table "alerts" add constraint "alerts_group_id_foreign" foreign key ("group_id") references "alert_groups" ("id") on delete cascade`,
    );
    this.addSql(
      `alter table "alerts" add constraint "alerts_severity_check" check ("severity" in ('CRITICAL', 'ERROR', 'WARNING', 'INFO', 'UNKNOWN'))`,
    );
    this.addSql(
      `alter table "alerts" add constraint "alerts_state_check" check ("state" in ('FIRING', 'RESOLVED'))`,
    );
    this.addSql(
      `alter table "alert_submissions" add constraint "alert_submissions_session_id_foreign" foreign key ("session_id") references "alert_sessions" ("id") on delete cascade`,
    );
    this.addSql(
      `alter table "intake_decisions" add constraint "intake_decisions_alert_id_foreign" foreign key ("alert_id") references "alerts" ("id") on delete cascade`,
    );
    this.addSql(
      `alter table "intake_decisions" add constraint "intake_decisions_group_id_foreign" foreign key ("group_id") references "alert_groups" ("id") on delete cascade`,
    );
    this.addSql(
      `alter table "intake_decisions" add constraint "intake_decisions_session_id_foreign" foreign key ("session_id") references "alert_sessions" ("id") on delete set null`,
    );
    this.addSql(
      `alter table "intake_decisions" add constraint "intake_decisions_silence_id_foreign" foreign key ("silence_id") references "silences" ("id") on delete set null`,
    );
    this.addSql(
      `alter table "intake_decisions" add constraint "intake_decisions_outcome_check" check ("outcome" in ('INVESTIGATED', 'JOINED', 'DUPLICATE', 'RECENTLY_INVESTIGATED', 'EXCLUDED', 'SILENCED', 'STORM', 'FLAPPING', 'OVER_BUDGET', 'RESOLVED', 'CANARY', 'REJECTED'))`,
    );
  }
}
