import { maybeSamePerson } from '../access/same-person.ts';
import { EngineError, NotFoundError, ValidationError } from '../common/errors.ts';
import { visibleJson } from '../common/visible-json.ts';
import { QUALITY_RATINGS } from '../db/enums.ts';
import { APPROVE_ACTION, DENY_ACTION, whyNotHere } from '../engine/features/slack/approval-message.ts';
import { claimsMessage } from '../engine/features/slack/claims-message.ts';
import { readApproval } from '../engine/features/slack/compose.ts';
import { RATE_ACTION, WHY_ACTION } from '../engine/features/slack/message.ts';
import { readStoredReport } from '../engine/store/reports.ts';
import type { RequestContent } from './payload.ts';
import { isUuid, requireSession } from './sessions.ts';
import { type Asked, type Outcome, replied, type SlackActionDeps } from './types.ts';
import { requireRight } from './viewer.ts';

type Click = Asked<Extract<RequestContent, { type: 'click' }>>;

/** Handles a click on a button of a message. The value of the button is checked like any input. */
export function handleClick(deps: SlackActionDeps, click: Click): Promise<Outcome> {
  const { action } = click.content;
  if (action.startsWith(RATE_ACTION)) return rate(deps, click);
  if (action === WHY_ACTION) return explain(deps, click);
  if (action === APPROVE_ACTION || action === DENY_ACTION) return decide(deps, click);
  throw new ValidationError('TARSy does not know this button.');
}

async function rate({ db, engine }: SlackActionDeps, { content, viewer }: Click): Promise<Outcome> {
  requireRight(viewer, 'REVIEW');
  const rating = QUALITY_RATINGS.find((known) => content.action === `${RATE_ACTION}${known}`);
  if (rating === undefined) throw new ValidationError('There is no such rating.');
  const session = await requireSession(db, content.value, viewer);
  const isRepeated = session.rating === rating && session.assignee === viewer.name;
  if (!isRepeated) {
    const change = { action: 'COMPLETE', rating, actionTaken: null, feedback: null } as const;
    const [result] = await engine.reviewSessions([session.id], change, viewer);
    if (result instanceof EngineError) throw result;
  }
  return replied('Thank you. The rating is stored with the investigation.');
}

async function explain(
  { db, mask, dashboardUrl }: SlackActionDeps,
  { content, viewer }: Click,
): Promise<Outcome> {
  requireRight(viewer, 'READ');
  const session = await requireSession(db, content.value, viewer);
  const report = await readStoredReport(db, session.id);
  if (report === null) throw new NotFoundError('The investigation has no report.');
  const link = `${dashboardUrl}/sessions/${session.id}`;
  return { reply: claimsMessage(report, { mask, link }), answerIn: null };
}

async function decide({ db, engine }: SlackActionDeps, { content, viewer }: Click): Promise<Outcome> {
  requireRight(viewer, 'APPROVE');
  const approve = content.action === APPROVE_ACTION;
  const [id = '', argumentsHash = ''] = content.value.split(':');
  const view = isUuid(id) ? await readApproval(db, id) : null;
  if (view === null) throw new NotFoundError('There is no approval with this id.');
  const { approval, decisions } = view;
  await requireSession(db, approval.sessionId, viewer);
  const why = approve ? whyNotHere(approval, visibleJson(approval.arguments)) : null;
  if (why !== null) throw new ValidationError(why);
  const isRepeated = decisions.some(
    ({ actor, approved }) => maybeSamePerson(actor, viewer.name) && approved === approve,
  );
  if (!isRepeated) await engine.decideApproval(id, { argumentsHash, approve, comment: null }, viewer);
  return replied(`Your decision is stored: ${approve ? 'approved' : 'denied'}.`);
}
