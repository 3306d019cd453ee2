import { type Actor, recordAudit } from '../../audit.ts';
import { ConflictError, NotFoundError, ShuttingDownError, ValidationError } from '../../common/errors.ts';
import type { Config } from '../../config/types.ts';
import type { AlertSessionRow } from '../../db/entities/index.ts';
import type { Queryable, Transaction } from '../../db/queryable.ts';
import type { Masking } from '../../masking/masking.ts';
import type { ChatQuestion } from '../api/engine.ts';
import { maskUserText } from '../common/user-text.ts';
import { type AskedQuestion, addQuestion, findOpenChatStage, readAsked } from '../store/chats.ts';
import { readSession } from '../store/sessions.ts';
import type { JobQueues } from '../worker/finish-session.ts';

/** Maximum length of a chat question (characters): a limit of the API contract. */
const CHAT_MAX_LENGTH = 100_000;

interface ChatDeps extends Pick<JobQueues, 'enqueueAnswer'> {
  db: Queryable;
  config: Config;
  masking: Pick<Masking, 'maskChat'>;
  transaction: Transaction;
  isShuttingDown: () => boolean;
}

/**
 * Stores a question about an ended investigation and queues its answer. A session answers one question at a time. A
 * repeated id returns the first question.
 * @throws ValidationError, NotFoundError, ConflictError, ShuttingDownError
 */
export async function sendChatMessage(
  deps: ChatDeps,
  sessionId: string,
  { content, id }: ChatQuestion,
  by: Actor,
): Promise<AskedQuestion> {
  if (deps.isShuttingDown()) throw new ShuttingDownError();
  if (content.trim() === '') throw new ValidationError('The question is empty.', 'content');
  const text = { text: content, field: 'content', name: 'question', maxLength: CHAT_MAX_LENGTH };
  const masked = maskUserText(deps.masking, text);
  const known = id === null ? null : await readAsked(deps.db, id);
  if (known) return known;
  const session = await readSession(deps.db, sessionId);
  const missing = new NotFoundError(`There is no session ${sessionId}.`);
  if (!session) throw missing;
  const refusal = chatRefusal(deps.config, session);
  if (refusal) throw refusal;
  return deps.transaction(async (tx) => {
    if (await findOpenChatStage(tx, sessionId))
      throw new ConflictError(
        'A question of this session is being answered. Wait for the answer, or cancel it.',
      );
    const asked = await addQuestion(tx, sessionId, { author: by.name, content: masked, id });
    if (asked === null) throw missing; // removed since it was read
    await deps.enqueueAnswer(tx, asked.stage.id);
    await recordAudit(tx, by, { action: 'session.ask', target: { type: 'Session', id: sessionId } });
    return asked;
  });
}

/** Returns why a session accepts no questions; `null` if it does. Ignores that another question may be open. */
export function chatRefusal(
  config: Config,
  { status, chainId }: Pick<AlertSessionRow, 'status' | 'chainId'>,
): ConflictError | null {
  if (status === 'CANCELLED')
    return new ConflictError('The session was cancelled, so there is nothing to ask about.');
  if (!['COMPLETED', 'FAILED', 'TIMED_OUT'].includes(status))
    return new ConflictError(`The investigation has not ended yet (${status}). Ask again when it has ended.`);
  const chain = config.chains[chainId];
  if (!chain) return new ConflictError(`The chain ${chainId} is not in the configuration any more.`);
  if (!chain.chat.enabled) return new ConflictError(`Chat is disabled for the chain ${chainId}.`);
  return null;
}
