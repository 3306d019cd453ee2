import { type Actor, recordAudit } from '../../audit.ts';
import { ConflictError, NotFoundError, ShuttingDownError, ValidationError } from '../../common/errors.ts';
import { requireStorable } from '../../common/storable.ts';
import type { Config } from '../../config/types.ts';
import type { AlertSessionRow } from '../../db/entities/index.ts';
import type { Queryable, Transaction } from '../../db/queryable.ts';
import type { Masking } from '../../masking/masking.ts';
import { type AskedQuestion, addQuestion, findOpenChatStage } from '../store/chats.ts';
import { readSession } from '../store/sessions.ts';

/** Maximum length of a chat question (characters): a limit of the API contract. */
const CHAT_MAX_LENGTH = 100_000;

export interface ChatDeps {
  db: Queryable;
  config: Config;
  masking: Pick<Masking, 'maskChat'>;
  transaction: Transaction;
  /** Queues the answering job, in the transaction that adds the question. */
  enqueueAnswer: (tx: Queryable, stageId: string) => Promise<void>;
  isShuttingDown: () => boolean;
}

/**
 * Stores a question about an ended investigation and queues its answer, in one transaction. Only one question of a session
 * is answered at a time.
 * @throws ValidationError, NotFoundError, ConflictError, ShuttingDownError
 */
export async function sendChatMessage(
  deps: ChatDeps,
  sessionId: string,
  content: string,
  by: Actor,
): Promise<AskedQuestion> {
  if (deps.isShuttingDown()) throw new ShuttingDownError();
  checkContent(content);
  const masked = maskedQuestion(deps.masking, content);
  const session = await readSession(deps.db, sessionId);
  if (!session) throw new NotFoundError(`There is no session ${sessionId}.`);
  const refusal = chatRefusal(deps.config, session);
  if (refusal) throw refusal;
  return deps.transaction(async (tx) => {
    if (await findOpenChatStage(tx, sessionId)) {
      throw new ConflictError(
        'A question of this session is being answered. Wait for the answer, or cancel it.',
      );
    }
    const asked = await addQuestion(tx, sessionId, { author: by.name, content: masked });
    await deps.enqueueAnswer(tx, asked.stage.id);
    await recordAudit(tx, by, { action: 'session.ask', target: { type: 'Session', id: sessionId } });
    return asked;
  });
}

function checkContent(content: string): void {
  if (content.trim() === '') throw new ValidationError('The question is empty.', 'content');
  if (content.length > CHAT_MAX_LENGTH) {
    const message = `The question has ${content.length} characters, at most ${CHAT_MAX_LENGTH} are allowed.`;
    throw new ValidationError(message, 'content');
  }
  requireStorable(content, 'content');
}

/** Refuses a question whose secrets cannot be masked, because its author can reword it. */
function maskedQuestion(masking: ChatDeps['masking'], content: string): string {
  try {
    return masking.maskChat(content);
  } catch {
    throw new ValidationError(
      'Secrets in the question could not be masked. Ask it in other words.',
      'content',
    );
  }
}

/** Returns why a session takes no questions; `null` if it does. A question that is being answered is not considered. */
export function chatRefusal(
  config: Config,
  { status, chainId }: Pick<AlertSessionRow, 'status' | 'chainId'>,
): ConflictError | null {
  if (status === 'CANCELLED')
    return new ConflictError('The session was cancelled: there is nothing to ask about.');
  if (!['COMPLETED', 'FAILED', 'TIMED_OUT'].includes(status))
    return new ConflictError(`The investigation has not ended yet (${status}). Ask when it has.`);
  const chain = config.chains[chainId];
  if (!chain) return new ConflictError(`The chain ${chainId} is not in the configuration any more.`);
  if (!chain.chat.enabled) return new ConflictError(`Chat is switched off for the chain ${chainId}.`);
  return null;
}
