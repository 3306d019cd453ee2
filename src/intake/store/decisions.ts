import { v7 as uuidv7 } from 'uuid';
import type { IntakeOutcome } from '../../db/enums.ts';
import { prepared } from '../../db/prepared.ts';
import type { Queryable } from '../../db/queryable.ts';

export interface NewDecision {
  outcome: IntakeOutcome;
  reason: string;
  rule: string | null;
  alertId: string | null;
  groupId: string;
  sessionId: string | null;
  silenceId: string | null;
}

/** Stores decisions of one source, made at one moment. */
export async function storeDecisions(
  tx: Queryable,
  source: string,
  at: Date,
  decisions: readonly NewDecision[],
): Promise<void> {
  const column = (of: (decision: NewDecision) => string | null) => decisions.map(of);
  await tx.query(
    prepared(`insert into intake_decisions (id, at, source, outcome, reason, rule, alert_id, group_id, session_id, silence_id)
     select d.id, $1, $2, d.outcome, d.reason, d.rule, d.alert_id, d.group_id, d.session_id, d.silence_id
     from unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::uuid[], $8::uuid[], $9::uuid[], $10::uuid[])
       as d(id, outcome, reason, rule, alert_id, group_id, session_id, silence_id)`),
    [
      at,
      source,
      column(() => uuidv7()),
      column(({ outcome }) => outcome),
      column(({ reason }) => reason),
      column(({ rule }) => rule),
      column(({ alertId }) => alertId),
      column(({ groupId }) => groupId),
      column(({ sessionId }) => sessionId),
      column(({ silenceId }) => silenceId),
    ],
  );
}

/**
 * Notes a delivery. Another that is being taken now is waited for.
 * @returns when it was taken, by the one clock of all processes; null when it was before
 */
export async function noteDelivery(
  tx: Queryable,
  delivery: { source: string; deliveryKey: string | null; alerts: number },
): Promise<Date | null> {
  const { rows } = await tx.query<{ at: Date }>(
    prepared(`insert into intake_deliveries (id, source, delivery_key, received_at, alerts)
     values ($1, $2, $3, clock_timestamp(), $4)
     on conflict (source, delivery_key) where delivery_key is not null do nothing returning received_at as at`),
    [uuidv7(), delivery.source, delivery.deliveryKey, delivery.alerts],
  );
  return rows[0]?.at ?? null;
}
