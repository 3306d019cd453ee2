import { v7 as uuidv7 } from 'uuid';
import { type Actor, recordAudit } from '../../audit.ts';
import { ConflictError, NotFoundError, ShuttingDownError } from '../../common/errors.ts';
import type { Config } from '../../config/types.ts';
import type { ScoreRow } from '../../db/entities/index.ts';
import { isTerminalStatus } from '../../db/enums.ts';
import type { Transaction } from '../../db/queryable.ts';
import { writeSession } from '../store/event-statement.ts';
import { addScore, findOpenScore } from '../store/scores.ts';
import { readSession } from '../store/sessions.ts';
import type { JobQueues } from '../worker/finish-session.ts';

interface RequestScoreDeps extends Pick<JobQueues, 'enqueueScore'> {
  config: Pick<Config, 'chains'>;
  transaction: Transaction;
  isShuttingDown: () => boolean;
}

/** Implements `Engine.scoreSession`. A session has at most one unfinished score. */
export async function requestScore(deps: RequestScoreDeps, sessionId: string, by: Actor): Promise<ScoreRow> {
  if (deps.isShuttingDown()) throw new ShuttingDownError();
  return deps.transaction(async (tx) => {
    await tx.query('select 1 from alert_sessions where id = $1 for no key update', [sessionId]);
    const session = await readSession(tx, sessionId);
    if (!session) throw new NotFoundError(`There is no session ${sessionId}.`);
    const { status, finalAnalysis, chainId } = session;
    if (!isTerminalStatus(status))
      throw new ConflictError(
        `The investigation has not ended yet (${status}). Ask again when it has ended.`,
      );
    if (!finalAnalysis) throw new ConflictError('There is no analysis to score.');
    if (!deps.config.chains[chainId])
      throw new ConflictError(`The chain ${chainId} is not in the configuration any more.`);
    if (await findOpenScore(tx, sessionId))
      throw new ConflictError('This investigation is being scored. Wait for the score, or cancel it.');
    const id = uuidv7();
    const change = { guard: 'true', assign: 'last_interaction_at = now()', values: [] };
    await writeSession(tx, sessionId, change, [addScore(id, by.name)]);
    await deps.enqueueScore(tx, id);
    await recordAudit(tx, by, { action: 'session.score', target: { type: 'Session', id: sessionId } });
    return (await findOpenScore(tx, sessionId))!;
  });
}
