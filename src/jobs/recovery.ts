import type { Logger } from 'pino';
import { runPeriodically } from '../common/periodic.ts';
import { oneByOne } from '../db/one-by-one.ts';
import type { Queryable } from '../db/queryable.ts';
import { expireApprovals } from '../engine/features/approvals/decide.ts';
import type { NotificationDeps } from '../engine/features/notifications/request.ts';
import { createReachability, recoverSessions } from '../engine/sessions/recover.ts';
import { findAbandonedChatStages } from '../engine/store/chats.ts';
import { findAbandonedScores } from '../engine/store/scores.ts';
import { renewStaleJobs } from './dispatch.ts';
import { hasNoJob } from './kit.ts';

/** Maximum interval between searches for lost work (ms), and so the delay before work with an expired lease resumes. */
const INTERVAL_MS = 5_000;

type RecoveryDeps = Parameters<typeof recoverSessions>[0] &
  NotificationDeps & {
    leaseDurationMs: number;
    enqueueAnswer: (db: Queryable, stageId: string) => Promise<void>;
    enqueueScore: (db: Queryable, scoreId: string) => Promise<void>;
    logger: Logger;
  };

/** The kinds of recovered work. A failure of one keeps no other waiting. */
const STEPS: readonly ((deps: RecoveryDeps) => Promise<unknown>)[] = [
  recoverSessions,
  ({ offerSlot }) => offerSlot(),
  expireApprovals,
  async ({ db, enqueueAnswer }) => {
    const stages = await withoutJob(db, 'answer-chat', await findAbandonedChatStages(db));
    await oneByOne(stages, (id) => enqueueAnswer(db, id));
  },
  async ({ db, enqueueScore }) => {
    const scores = await withoutJob(db, 'score-session', await findAbandonedScores(db));
    await oneByOne(scores, (id) => enqueueScore(db, id));
  },
];

/** Recovers work whose worker or job was lost: now, and then at regular intervals. */
export function startRecovery(deps: RecoveryDeps): { stop(): Promise<void> } {
  const { db, leaseDurationMs, logger } = deps;
  const reachability = createReachability(leaseDurationMs);

  async function recover(): Promise<void> {
    await renewStaleJobs(db);
    reachability.reached();
    if (!reachability.isSteady) return; // leases may have expired because no worker could reach the database
    await oneByOne(STEPS, (step) => step(deps));
  }

  const round = () =>
    recover().catch((error: unknown) => {
      if (!(error instanceof AggregateError)) reachability.lost(); // an AggregateError concerns single rows
      throw error;
    });
  const everyMs = Math.min(INTERVAL_MS, leaseDurationMs / 2);
  return runPeriodically(round, { task: 'recover lost work', everyMs, logger });
}

/** Returns the rows that no job waits for. A job that waits keeps its position in the queue. */
async function withoutJob(
  db: Queryable,
  task: 'answer-chat' | 'score-session',
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const { rows } = await db.query<{ id: string }>(
    `select r.id from unnest($1::uuid[]) as r (id) where ${hasNoJob(task, 'r.id')}`,
    [ids],
  );
  return rows.map(({ id }) => id);
}
