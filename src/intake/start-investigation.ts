import { uuidv7 } from '../common/uuidv7.ts';
import type { IntakeConfig } from '../config/types.ts';
import type { AlertGroupRow } from '../db/entities/index.ts';
import type { IntakeOutcome } from '../db/enums.ts';
import type { Queryable } from '../db/queryable.ts';
import { entitiesOf } from '../engine/alert/entities.ts';
import type { Subject } from '../engine/cost/budgets.ts';
import type { Headline, SessionSnapshot, SubmitAlertInput } from '../engine/engine.ts';
import { insertSession } from '../engine/journal/sessions.ts';
import type { Submissions } from '../engine/session/submissions.ts';
import { span } from './duration-text.ts';
import { documentOf } from './group-document.ts';
import { covering, type GroupNow } from './locked-group.ts';
import { alertsOfGroup } from './store/alerts.ts';
import { stormDocument, stormHeadline, stormOf } from './storm.ts';
import { DOCUMENT_LISTED_ALERTS } from './tunables.ts';

export interface InvestigateDeps {
  config: Pick<IntakeConfig, 'storm'>;
  submissions: Submissions;
  /** Why an investigation would only wait for a budget; null = it would not. */
  overBudget(tx: Queryable, subject: Subject): Promise<string | null>;
  /** Of an alert that was submitted as text: that is what is investigated, in its author's name. */
  submitted?: { input: SubmitAlertInput; author: string };
}

interface Begun {
  outcome: IntakeOutcome;
  reason: string;
  sessionId: string;
  begun: SessionSnapshot | null;
  group: Partial<AlertGroupRow>;
}

/**
 * Makes the session of a group, or, in a storm, lets it join the storm's. Who wants the same for another group of this
 * source waits until the transaction ends: how many there are lately is exact.
 * @throws TooManyAlertsError, ValidationError
 */
export async function beginInvestigation(
  deps: InvestigateDeps,
  tx: Queryable,
  now: Date,
  state: GroupNow,
  why: string,
): Promise<Begun> {
  const { group, source } = state;
  if (state.isFarFromStorm) return investigateByItself(deps, tx, now, state, why);
  await state.store?.(); // groups of one delivery count among each other
  const storm = await stormOf(tx, group, deps.config.storm, now);
  if (storm === null) return investigateByItself(deps, tx, now, state, why);
  const covers = coverage(now, state);
  const { groups, withinMs } = deps.config.storm;
  const reason = `More than ${groups} groups of ${source.name} were to be investigated within ${span(withinMs)}: one session for all beyond ${groups}.`;
  if (storm.sessionId !== null)
    return {
      outcome: 'STORM',
      reason,
      sessionId: storm.sessionId,
      begun: null,
      group: { ...covers, sessionId: storm.sessionId },
    };
  const data = stormDocument({
    source: source.name,
    groups,
    first: group,
    withinMs,
  });
  const session = await store(deps, tx, state, {
    data,
    headline: stormHeadline(source.name, groups, group.severity),
    groupId: null,
    waitMs: deps.config.storm.waitMs,
  });
  return begun('STORM', reason, session, covers);
}

/** Makes the session of a group, whatever else goes on. @throws TooManyAlertsError, ValidationError */
export async function investigateByItself(
  deps: InvestigateDeps,
  tx: Queryable,
  now: Date,
  state: GroupNow,
  why: string,
): Promise<Begun> {
  const { group, ruling } = state;
  const session = await store(deps, tx, state, {
    ...(await groupText(tx, state)),
    groupId: group.id,
    waitMs: ruling.groupWaitMs,
  });
  const waits =
    session.runAt === null ? '' : ` It waits ${span(ruling.groupWaitMs)} for more alerts of its group.`;
  return begun('INVESTIGATED', `${why}${waits}`, session, coverage(now, state));
}

/** What an investigation that begins now stands for. */
function coverage(now: Date, { group, firing }: GroupNow): Partial<AlertGroupRow> {
  return { investigatedAt: now, investigatedSeverity: group.severity, investigatedNames: covering(firing) };
}

function begun(
  outcome: IntakeOutcome,
  reason: string,
  session: SessionSnapshot,
  covers: Partial<AlertGroupRow>,
): Begun {
  return {
    outcome,
    reason,
    sessionId: session.id,
    begun: session,
    group: { ...covers, sessionId: session.id },
  };
}

async function store(
  { submissions, submitted }: InvestigateDeps,
  tx: Queryable,
  { group, source, ruling }: GroupNow,
  more: GroupText & { groupId: string | null; waitMs: number },
): Promise<SessionSnapshot> {
  const { data, headline, groupId, waitMs } = more;
  const team = group.team ?? null;
  if (submitted && groupId !== null) {
    const { input, author } = submitted;
    const session = await submissions.prepare(
      { ...input, alertType: ruling.alertType ?? input.alertType ?? null, team },
      author,
    );
    // A person's text tells better than its group what it is about; how bad it is may have been said beside it.
    const said = headline.severity === 'UNKNOWN' ? {} : { severity: headline.severity };
    return insertSession(tx, { ...session, headline: { ...session.headline, ...said }, groupId });
  }
  const alert = { data, alertType: ruling.alertType, team };
  const session = await submissions.prepare(alert, source.name, headline);
  return insertSession(tx, { ...session, id: uuidv7(), groupId, waitMs });
}

interface GroupText {
  data: string;
  headline: Headline;
}

/** What agents are told of a group as it is now, and what lists show of it. */
export async function groupText(tx: Queryable, state: GroupNow): Promise<GroupText> {
  const { title, severity, id } = state.group;
  if (!state.whole) await state.store?.();
  const alerts = state.whole ?? (await alertsOfGroup(tx, id, DOCUMENT_LISTED_ALERTS + 1));
  const told = alerts.map((alert) => ({ ...alert, endsAt: alert.endsAt ?? null, url: alert.url ?? null }));
  return {
    data: documentOf({ title, severity, source: state.source.name, alerts: told }),
    headline: { title, severity, entities: entitiesOf(alerts.map(({ labels }) => labels)) },
  };
}
