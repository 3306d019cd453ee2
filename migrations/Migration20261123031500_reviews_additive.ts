import { Migration } from '@mikro-orm/migrations';

/** Adds the review state of a session; null until a responder starts the review. */
export class Migration20261123031500_reviews_additive extends Migration {
  override up(): void {
    this.addSql(
      `alter table "alert_sessions" add "review_status" text null, add "assignee" text null, add "rating" text null, add "action_taken" text null, add "feedback" text null, add "reviewed_at" timestamptz(3) null`,
    );
    this.addSql(
      `create index "alert_sessions_reviews" on "alert_sessions" ("review_status", "created_at", "id") where "review_status" is not null`,
    );
    this.addSql(
      `create index "alert_sessions_to_review" on "alert_sessions" ("created_at", "id") where "review_status" is null and "status" in ('COMPLETED', 'FAILED', 'TIMED_OUT') and "deleted_at" is null`,
    );
  }
}
