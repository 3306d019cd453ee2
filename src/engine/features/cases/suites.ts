import { TERMINAL_SESSION_STATUSES } from '../../../db/enums.ts';
import type { Queryable } from '../../../db/queryable.ts';
import { type CheckedReplay, readCheckedReplays } from './results.ts';

/** The replays of one case with one provider, in a suite that has ended. */
export interface SuiteMeasure {
  caseName: string;
  team: string | null;
  provider: string;
  model: string;
  replays: CheckedReplay[];
}

/** A suite whose replays have all ended. */
export interface EndedSuite {
  id: string;
  measures: SuiteMeasure[];
}

interface Member {
  id: string;
  isOpen: boolean;
  caseId: string;
  caseName: string;
  team: string | null;
  llmProvider: string | null;
  provider: string;
  model: string;
}

const MEMBERS = `select r.id, s.status <> all($2) as "isOpen", r.case_id as "caseId",
    c.name as "caseName", c.team, r.llm_provider as "llmProvider", r.provider, r.model
  from replays r join cases c on c.id = r.case_id join alert_sessions s on s.id = r.session_id
  where r.suite_id = $1 order by r.created_at, r.id`;

/**
 * Returns the suite that ends with a session, within the transaction `tx` that ends the session; `null` if others of its
 * replays are running or will be started, or the session is no replay.
 */
export async function suiteEndedBy(tx: Queryable, sessionId: string): Promise<EndedSuite | null> {
  const { rows } = await tx.query<{ id: string; size: number }>(
    'select suite_id as id, suite_size as size from replays where session_id = $1 and suite_id is not null',
    [sessionId],
  );
  const [suite] = rows;
  if (!suite) return null;
  // One end at a time. Otherwise the last two would each see the other's replay as running.
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 4))', [suite.id]);
  const { rows: members } = await tx.query<Member>(MEMBERS, [suite.id, TERMINAL_SESSION_STATUSES]);
  if (members.length < suite.size || members.some(({ isOpen }) => isOpen)) return null;
  const results = new Map(
    (
      await readCheckedReplays(
        tx,
        members.map(({ id }) => id),
      )
    ).map((one) => [one.id, one]),
  );
  const measures = Map.groupBy(members, ({ caseId, llmProvider }) => JSON.stringify([caseId, llmProvider]));
  return {
    id: suite.id,
    measures: [...measures.values()].map((runs) => {
      const { caseName, team, provider, model } = runs[0]!;
      return { caseName, team, provider, model, replays: runs.flatMap(({ id }) => results.get(id) ?? []) };
    }),
  };
}
