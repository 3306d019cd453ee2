import { Migration } from '@mikro-orm/migrations';

/** Key of the advisory lock for slots ("slot" as bytes). */
const SLOT_LOCK = 0x736c6f74;

const HELD = `(select count(*) from alert_sessions where dispatched_at is not null)`;
/** Only a session that has not begun waits for more alerts of its group. */
const WAITING = `status = 'PENDING' and dispatched_at is null and wait is null and deleted_at is null
  and (run_at is null or run_at <= now() or attempt > 0)`;

/**
 * Adds the cause for which a session is parked, and functions that give slots by severity and age. The previous version
 * keeps its own functions, which give slots by age alone and ignore the cause.
 */
export class Migration20261127220000_waiting_additive extends Migration {
  override up(): void {
    this.addSql(
      `alter table "alert_sessions" add "queue_at" timestamptz(3) not null default now(), add "wait" jsonb null, add "run_now_at" timestamptz(3) null, add "cancel_reason" text null`,
    );
    this.addSql(
      `create index "alert_sessions_queue" on "alert_sessions" ("queue_at", "id") where "status" = 'PENDING' and "dispatched_at" is null and "wait" is null`,
    );
    this.addSql(
      `create index "alert_sessions_parked" on "alert_sessions" (("wait" ->> 'cause')) where "wait" is not null and "status" = 'PENDING'`,
    );
    this.addSql(`
      create function tarsy_slot_is_wanted(max_held int) returns boolean language plpgsql set search_path from current as $$
      begin
        perform pg_advisory_xact_lock_shared(${SLOT_LOCK});
        return ${HELD} < max_held and exists (select 1 from alert_sessions where ${WAITING});
      end $$`);
    // A job's run_at is the session's position in the queue, because workers fetch jobs in the order of run_at.
    this.addSql(`
      create function tarsy_assign_slots(max_held int) returns void language plpgsql set search_path from current as $$
      declare
        picked_ids uuid[];
        positions timestamptz[];
      begin
        perform pg_advisory_xact_lock(${SLOT_LOCK});
        with next as (
          select id from alert_sessions where ${WAITING} order by queue_at, id
          limit greatest(0, max_held - ${HELD})
          for no key update skip locked
        ), picked as (
          update alert_sessions s set dispatched_at = now() from next where s.id = next.id returning s.id, s.queue_at
        )
        select array_agg(id), array_agg(queue_at) into picked_ids, positions from picked;
        if picked_ids is not null then
          -- One attempt, because the lease, not the queue, decides what happens to a session whose worker dies.
          perform graphile_worker.add_jobs(array(
            select ('run-session', json_build_object('sessionId', id), null, queue_at, 1, 'run-session:' || id, null, null)::graphile_worker.job_spec
            from unnest(picked_ids, positions) p (id, queue_at)));
        end if;
      end $$`);
  }
}
