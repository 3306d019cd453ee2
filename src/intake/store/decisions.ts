import { uuidv7 } from '../../common/uuidv7.ts';
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
