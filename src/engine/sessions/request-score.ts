import { v7 as uuidv7 } from 'uuid';
import { type Actor, recordAudit } from '../../audit.ts';
import { ConflictError, NotFoundError, ShuttingDownError } from '../../common/errors.ts';
import type { Config } from '../../config/types.ts';
import type { ScoreRow } from '../../db/entities/index.ts';
import { isTerminalStatus } from '../../db/enums.ts';
import type { Queryable, Transaction } from '../../db/queryable.ts';
import { writeSession } from '../store/event-statement.ts';
import { addScore, findOpenScore } from '../store/scores.ts';
import { readSession } from '../store/sessions.ts';

export interface RequestScoreDeps {
  config: Pick<Config, 'chains'>;
  transaction: Transaction;
  /** Queues the scoring job, in the transaction of the request. */
  enqueueScore: (tx: Queryable, scoreId: string) => Promise<void>;
  isShuttingDown: () => boolean;
}

/**
 * Requests a new score of an ended investigation. Earlier scores are kept; only one score is made at a time.
 * @throws NotFoundError, ConflictError, ShuttingDownError
 */
export async function requestScore(deps: RequestScoreDeps, sessionId: string, by: Actor): Promise<ScoreRow> {
  if (deps.isShuttingDown()) throw new ShuttingDownError();
  return deps.transaction(async (tx) => {
    await tx.query('select 1 from alert_sessions where id = $1 for no key update', [sessionId]);
    const session = await readSession(tx, sessionId);
    if (!session) throw new NotFoundError(`There is no session ${sessionId}.`);
    const { status, finalAnalysis, chainId } = session;
    if (!isTerminalStatus(status))
      throw new ConflictError(`The investigation has not ended yet (${status}). Ask when it has.`);
    if (!finalAnalysis) throw new ConflictError('There is no analysis that could be judged.');
    if (!deps.config.chains[chainId])
      throw new ConflictError(`The chain ${chainId} is not in the configuration any more.`);
    if (await findOpenScore(tx, sessionId))
      throw new ConflictError('This investigation is being scored. Wait for that, or cancel it.');
    const id = uuidv7();
    const change = { guard: 'true', assign: 'last_interaction_at = now()', values: [] };
    await writeSession(tx, sessionId, change, [addScore(id, by.name)]);
    await deps.enqueueScore(tx, id);
    await recordAudit(tx, by, { action: 'session.score', target: { type: 'Session', id: sessionId } });
    return (await findOpenScore(tx, sessionId))!;
  });
}
