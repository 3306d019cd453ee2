import { type Actor, recordAudit } from '../../audit.ts';
import { ConflictError, NotFoundError, ValidationError } from '../../common/errors.ts';
import type { Config } from '../../config/types.ts';
import type { TimelineEventRow } from '../../db/entities/index.ts';
import { isTerminalStatus } from '../../db/enums.ts';
import type { Queryable, Transaction } from '../../db/queryable.ts';
import type { Masking } from '../../masking/masking.ts';
import type { HintInput, SessionSnapshot } from '../api/engine.ts';
import { maskUserText } from '../common/user-text.ts';
import { decodeRow } from '../live/event-log.ts';
import { writeRowsIf } from '../store/event-statement.ts';
import { countHints, hasAgent } from '../store/hints.ts';
import { lockSession, notifyConclude, readSession, requestConclusion } from '../store/sessions.ts';
import { addTimelineEvent } from '../store/timeline.ts';

/** Maximum length of a hint (bytes of UTF-8). Each agent of the session reads it. */
const HINT_MAX_BYTES = 4_000;

/** Maximum number of hints of a session, because each of its agents reads all of them. */
const MAX_HINTS = 20;

interface HintDeps {
  config: Config;
  masking: Pick<Masking, 'maskChat'>;
  transaction: Transaction;
}

const SESSION_ITEM = { stageId: null, executionId: null };

/** Implements `Engine.addHint`. Locks the session's row, so that parallel hints are counted one after the other. */
export async function addHint(
  deps: HintDeps,
  sessionId: string,
  { text, agent }: HintInput,
  by: Actor,
): Promise<TimelineEventRow> {
  const content = checkedText(deps, text);
  return deps.transaction(async (tx) => {
    const session = await lockRunning(tx, sessionId);
    if (agent !== null && !deps.config.agents[agent] && !(await hasAgent(tx, sessionId, agent)))
      throw new ValidationError(
        `There is no agent ${agent.slice(0, 80)}. Leave it out to reach all agents.`,
        'agent',
      );
    if ((await countHints(tx, sessionId)) >= MAX_HINTS)
      throw new ConflictError(
        `The session already has ${MAX_HINTS} hints, the most that it takes. Ask a question when it has ended.`,
      );
    const metadata = { author: by.name, agent };
    const item = { type: 'HINT', status: 'COMPLETED', content, metadata } as const;
    const guard = { guard: 's.status = $2', values: [session.status] };
    const [added] = (await writeRowsIf(tx, sessionId, guard, [addTimelineEvent(SESSION_ITEM, item)]))!;
    const hint = decodeRow<TimelineEventRow>(added!.row);
    const target = { type: 'Session', id: sessionId };
    await recordAudit(tx, by, { action: 'session.hint', target, detail: { hint: hint.id, agent } });
    return hint;
  });
}

function checkedText({ masking }: HintDeps, text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') throw new ValidationError('The hint is empty.', 'text');
  const bytes = Buffer.byteLength(trimmed);
  if (bytes > HINT_MAX_BYTES)
    throw new ValidationError(
      `The hint has ${bytes} bytes, at most ${HINT_MAX_BYTES} are allowed. Shorten it to what to check, and why.`,
      'text',
    );
  return maskUserText(masking, { text: trimmed, field: 'text', name: 'hint', maxLength: HINT_MAX_BYTES });
}

/** @throws NotFoundError, ConflictError if the session has ended or is being cancelled */
async function lockRunning(tx: Queryable, sessionId: string): Promise<{ status: string; attempt: number }> {
  const session = await lockSession(tx, sessionId);
  if (!session) throw new NotFoundError(`There is no session ${sessionId}.`);
  const { status } = session;
  if (isTerminalStatus(status))
    throw new ConflictError(`The investigation has ended (${status}). Ask a question about it instead.`);
  if (status === 'CANCELLING') throw new ConflictError('The investigation is being cancelled.');
  return session;
}

/** Implements `Engine.concludeSession`. Idempotent. The worker is notified, or reads the request at its next claim. */
export async function concludeSession(
  { transaction }: Pick<HintDeps, 'transaction'>,
  sessionId: string,
  by: Actor,
): Promise<SessionSnapshot> {
  return transaction(async (tx) => {
    const { status, attempt } = await lockRunning(tx, sessionId);
    if (status === 'PENDING' && attempt === 0)
      throw new ConflictError(
        'The investigation has not begun, so it has nothing to conclude. Cancel it instead.',
      );
    const content = `${by.name} asked the investigation to conclude.`;
    const metadata = { author: by.name };
    const item = { type: 'CONCLUSION_REQUESTED', status: 'COMPLETED', content, metadata } as const;
    const session = await requestConclusion(tx, sessionId, [addTimelineEvent(SESSION_ITEM, item)]);
    if (session === null) return (await readSession(tx, sessionId))!;
    await notifyConclude(tx, sessionId);
    await recordAudit(tx, by, { action: 'session.conclude', target: { type: 'Session', id: sessionId } });
    return session;
  });
}
