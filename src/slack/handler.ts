import { recordAudit } from '../audit.ts';
import { EngineError, ForbiddenError, NotFoundError, ShuttingDownError } from '../common/errors.ts';
import { SlackCallError } from '../engine/features/slack/failure.ts';
import { handleClick } from './clicks.ts';
import { answerMention, investigateMessage, runCommand } from './investigate.ts';
import { contentSchema, type RequestContent } from './payload.ts';
import { type ClaimedRequest, claimRequest, endRequest, postponeRequest } from './requests.ts';
import { type Asked, type Outcome, replied, type SlackActionDeps } from './types.ts';

/** Delays between attempts (ms). */
const RETRY_MS = [2_000, 5_000, 15_000, 60_000, 300_000] as const;

/**
 * Returns the function that handles a stored request: finds the viewer, does what the page would do, and replies so that
 * only the user sees it. Each step can be repeated after a crash without a second effect.
 */
export function createRequestHandler(deps: SlackActionDeps): (requestId: string) => Promise<void> {
  const { db } = deps;
  return async (requestId) => {
    const claimed = await claimRequest(db, requestId);
    if (!claimed) return;
    const logger = deps.logger.child({ requestId, attempt: claimed.attempts });
    try {
      const content = contentSchema.parse(claimed.content);
      const outcome = await attempt(deps, requestId, content);
      await reply(deps, content, outcome);
      const { answerIn: threadTs } = outcome;
      await endRequest(db, claimed, threadTs === null ? { status: 'DONE' } : { status: 'ASKED', threadTs });
      logger.info({ type: content.type }, 'slack request handled');
    } catch (error) {
      await postpone(deps, claimed, error);
    }
  };
}

async function attempt(deps: SlackActionDeps, requestId: string, content: RequestContent): Promise<Outcome> {
  const viewer = await deps.viewers.of(content.user);
  try {
    return await act(deps, { requestId, content, viewer });
  } catch (error) {
    if (!(error instanceof EngineError) || error instanceof ShuttingDownError) throw error;
    if (error instanceof ForbiddenError || error instanceof NotFoundError)
      await recordAudit(deps.db, viewer, {
        action: 'slack.refuse',
        target: null,
        detail: { slack_user: content.user, type: content.type, action: actionOf(content), code: error.code },
      });
    return replied(error.message);
  }
}

function act(deps: SlackActionDeps, { content, ...asked }: Asked<RequestContent>): Promise<Outcome> {
  switch (content.type) {
    case 'mention':
      return answerMention(deps, { ...asked, content });
    case 'reaction':
      return investigateMessage(deps, { ...asked, content });
    case 'command':
      return runCommand(deps, { ...asked, content });
    case 'click':
      return Promise.resolve().then(() => handleClick(deps, { ...asked, content }));
  }
}

function actionOf(content: RequestContent): string | null {
  return content.type === 'click' ? content.action.slice(0, 100) : null;
}

async function reply(
  deps: SlackActionDeps,
  content: RequestContent,
  { reply: message }: Outcome,
): Promise<void> {
  if (message === null) return;
  const threadTs = 'threadTs' in content ? content.threadTs : null;
  try {
    await deps.openClient().whisper(content.user, message, threadTs);
  } catch (error) {
    // A refused reply does not undo what was done, and a repetition would be refused, too.
    if (!(error instanceof SlackCallError) || error.failure.isTemporary) throw error;
    deps.logger.warn({ code: error.failure.code }, 'slack reply refused');
  }
}

async function postpone(deps: SlackActionDeps, claimed: ClaimedRequest, error: unknown): Promise<void> {
  const { db, logger } = deps;
  const failure = error instanceof SlackCallError ? error.failure : null;
  const code = failure?.code ?? 'internal';
  const wait = RETRY_MS[claimed.attempts - 1];
  const fields = { requestId: claimed.id, code, ...(failure ? {} : { err: error }) };
  if (wait === undefined || failure?.isTemporary === false) {
    logger.error(fields, 'slack request failed');
    return endRequest(db, claimed, { status: 'FAILED', error: code });
  }
  const inMs = Math.max(wait, failure?.retryAfterMs ?? 0);
  if (await postponeRequest(db, claimed, { inMs, error: code })) await deps.enqueue(db, claimed.id);
  logger.warn({ ...fields, inMs }, 'slack request failed, retrying');
}
