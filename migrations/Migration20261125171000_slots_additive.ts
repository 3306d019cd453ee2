import { Migration } from '@mikro-orm/migrations';

/** Key of the advisory lock for slots ("slot" as bytes). */
const SLOT_LOCK = 0x736c6f74;

const HELD = `(select count(*) from alert_sessions where dispatched_at is not null)`;
const WAITING = `status = 'PENDING' and dispatched_at is null and deleted_at is null and (run_at is null or run_at <= now())`;

/**
 * Adds functions that give slots. Lock and statements are one message to the server, so no process holds the lock during a
 * network round trip, and each connection plans them once. Each statement sees what was committed before it started.
 */
export class Migration20261125171000_slots_additive extends Migration {
  override up(): void {
    this.addSql(`
      create or replace function tarsy_slot_is_free(max_held int) returns boolean language plpgsql set search_path from current as $$
      begin
        perform pg_advisory_xact_lock_shared(${SLOT_LOCK});
        return ${HELD} < max_held and exists (select 1 from alert_sessions where ${WAITING});
      end $$`);
    // Adds all jobs in one call, because each call costs the queue half a dozen statements.
    this.addSql(`
      create or replace function tarsy_give_slots(max_held int) returns void language plpgsql set search_path from current as $$
      declare
        picked_ids uuid[];
      begin
        perform pg_advisory_xact_lock(${SLOT_LOCK});
        with next as (
          select id from alert_sessions where ${WAITING} order by created_at, id
          limit greatest(0, max_held - ${HELD})
          for no key update skip locked
        ), picked as (
          update alert_sessions s set dispatched_at = now() from next where s.id = next.id returning s.id
        )
        select array_agg(id) into picked_ids from picked;
        if picked_ids is not null then
          -- One attempt: what happens to a session when its worker dies is the lease's business, not the queue's.
          perform graphile_worker.add_jobs(array(
            select ('run-session', json_build_object('sessionId', id), null, null, 1, 'run-session:' || id, null, null)::graphile_worker.job_spec
            from unnest(picked_ids) id));
        end if;
      end $$`);
  }
}
