import { isVisible } from '../access/visibility.ts';
import { NotFoundError, ValidationError } from '../common/errors.ts';
import { isOwnMessage } from '../engine/features/slack/message.ts';
import { messageText, readableText } from './message-text.ts';
import type { RequestContent } from './payload.ts';
import { sessionOfThread } from './sessions.ts';
import { type Asked, type Outcome, replied, type SlackActionDeps } from './types.ts';
import { requireRight } from './viewer.ts';

type Of<Type extends RequestContent['type']> = Asked<Extract<RequestContent, { type: Type }>>;

/** Investigates the text of a slash command. The message about the start goes into the channel. */
export function runCommand(deps: SlackActionDeps, asked: Of<'command'>): Promise<Outcome> {
  const { requestId, content } = asked;
  const text = readableText(content.text);
  return investigate(deps, asked, { text, threadTs: null, key: `slack:${requestId}` });
}

/** Investigates a message to which a user added the configured emoji, once. */
export function investigateMessage(deps: SlackActionDeps, asked: Of<'reaction'>): Promise<Outcome> {
  return investigateThread(deps, asked, { threadTs: asked.content.ts, note: '' });
}

/**
 * Handles a message that mentions TARSy: a question in the thread of a session, else a request to investigate. In a
 * thread, the first message is investigated; elsewhere, the message itself.
 */
export async function answerMention(deps: SlackActionDeps, asked: Of<'mention'>): Promise<Outcome> {
  const { content, viewer, requestId } = asked;
  const { ts, threadTs } = content;
  const text = readableText(content.text.replace(/<@[A-Z0-9]+(?:\|[^>]*)?>/g, ' '));
  if (threadTs === null) return investigate(deps, asked, { text, threadTs: ts, key: `slack:${ts}` });
  const session = await sessionOfThread(deps.db, threadTs, viewer);
  if (session === null) return investigateThread(deps, asked, { threadTs, note: text });
  requireRight(viewer, 'CHAT');
  await deps.engine.sendChatMessage(session.id, { content: text, id: requestId }, viewer);
  return { reply: { text: 'TARSy answers in this thread.' }, answerIn: threadTs };
}

/** Investigates the first message of a thread. @param note further text of the user */
async function investigateThread(
  deps: SlackActionDeps,
  asked: Asked<RequestContent>,
  { threadTs, note }: { threadTs: string; note: string },
): Promise<Outcome> {
  requireRight(asked.viewer, 'SUBMIT_ALERTS');
  const found = await deps.openClient().messageAt(threadTs);
  // Without this, TARSy would investigate its own messages.
  if (found === null || isOwnMessage(found))
    throw new NotFoundError(
      'There is neither an investigation nor an alert in this message that you may use.',
    );
  const text = [messageText(found), ...(note === '' ? [] : [`Asked: ${note}`])].join('\n\n');
  return investigate(deps, asked, { text, threadTs, key: `slack:${threadTs}` });
}

async function investigate(
  deps: SlackActionDeps,
  { viewer, content }: Asked<RequestContent>,
  alert: { text: string; threadTs: string | null; key: string },
): Promise<Outcome> {
  requireRight(viewer, 'SUBMIT_ALERTS');
  if (alert.text.trim() === '')
    throw new ValidationError('There is no text to investigate. Say what is wrong, and where.');
  return deps.transaction(async (tx) => {
    // One investigation of a message at a time, so that two requests do not both start one.
    await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`tarsy:${alert.key}`]);
    const known = alert.threadTs === null ? null : await sessionOfThread(tx, alert.threadTs, viewer);
    if (known !== null)
      return replied(`This message has an investigation: ${deps.dashboardUrl}/sessions/${known.id}`);
    const input = {
      data: alert.text,
      alertType: null,
      runbookUrl: null,
      mcp: null,
      slackMessageFingerprint: null,
    };
    const keys = { idempotencyKey: alert.key, dedupKey: null, severity: null, labels: null };
    const by = { ...viewer, sees: (team: string | null) => isVisible(viewer.teams, team) };
    const session = await deps.intake.submit({ ...input, team: null, ...keys }, by);
    await deps.requestStart(tx, session.id, { threadTs: alert.threadTs, user: content.user });
    return { reply: null, answerIn: null };
  });
}
