import type { Pool } from 'pg';
import type { ClaimedFact } from '../../src/engine/features/report/verify/types.ts';

type Row = Record<string, unknown>;

/** Returns a fact as models submit it, cited from the claim's first citation. */
export function claimedFact(subject: string, attribute: string, value: string): ClaimedFact {
  return {
    ...{ subject, attribute, value, unit: null, negated: false, citation: 0 },
    window: null,
    filter: null,
  };
}

/** Stores a report of an existing session. Missing values get defaults, also in each of `claims`. */
export async function insertReport(
  pool: Pool,
  sessionId: string,
  { claims = [], ...more }: Row & { claims?: Row[] } = {},
): Promise<void> {
  const claim = { absence: false, problem: null, onlyUntrusted: false, citations: [] };
  const row: Row = {
    ...{ session_id: sessionId, verdict: 'ACTION_REQUIRED', headline: 'The disk is full.', confidence: 0.9 },
    ...{ entities: ['host db-1'], evidence_score: null },
    ...more,
    claims: JSON.stringify(claims.map((one) => ({ ...claim, ...one }))),
  };
  const names = Object.keys(row);
  await pool.query(
    `insert into reports (${names.join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')})`,
    Object.values(row),
  );
  await pool.query('update alert_sessions set verdict = $2, confidence = $3 where id = $1', [
    sessionId,
    row.verdict,
    row.confidence,
  ]);
}
