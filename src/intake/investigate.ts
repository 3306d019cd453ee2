import { v7 as uuidv7 } from 'uuid';
import type { IntakeConfig } from '../config/types.ts';
import type { AlertGroupRow } from '../db/entities/index.ts';
import type { IntakeOutcome } from '../db/enums.ts';
import type { Queryable } from '../db/queryable.ts';
import type { SessionSnapshot, SubmitAlertInput } from '../engine/engine.ts';
import { insertSession } from '../engine/journal/sessions.ts';
import type { Submissions } from '../engine/session/submissions.ts';
import { documentOf } from './document.ts';
import { type GroupNow, namesOf } from './group-now.ts';
import { alertsOfGroup } from './store/alerts.ts';
import { stormDocument, stormOf } from './storm.ts';
import { DOCUMENT_LISTED_ALERTS } from './tunables.ts';
import { span } from './words.ts';

export interface InvestigateDeps {
  config: Pick<IntakeConfig, 'storm'>;
  submissions: Submissions;
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
  const session = await store(deps, tx, state, { data, groupId: null, waitMs: deps.config.storm.waitMs });
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
  const { group, source, ruling } = state;
  const session = await store(deps, tx, state, {
    data: await groupDocument(tx, group, source.name),
    groupId: group.id,
    waitMs: ruling.groupWaitMs,
  });
  const waits =
    session.runAt === null ? '' : ` It waits ${span(ruling.groupWaitMs)} for more alerts of its group.`;
  return begun('INVESTIGATED', `${why}${waits}`, session, coverage(now, state));
}

/** What an investigation that begins now stands for. */
function coverage(now: Date, { group, firing }: GroupNow): Partial<AlertGroupRow> {
  return { investigatedAt: now, investigatedSeverity: group.severity, investigatedNames: namesOf(firing) };
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
  { source, ruling }: GroupNow,
  more: { data: string; groupId: string | null; waitMs: number },
): Promise<SessionSnapshot> {
  const { data, groupId, waitMs } = more;
  if (submitted && groupId !== null) {
    const { input, author } = submitted;
    const session = await submissions.prepare(
      { ...input, alertType: ruling.alertType ?? input.alertType ?? null },
      author,
    );
    return insertSession(tx, { ...session, groupId });
  }
  const session = await submissions.prepare({ data, alertType: ruling.alertType }, source.name);
  return insertSession(tx, { ...session, id: uuidv7(), groupId, waitMs });
}

/** What agents are told of a group as it is now. */
export async function groupDocument(tx: Queryable, group: AlertGroupRow, source: string): Promise<string> {
  const alerts = await alertsOfGroup(tx, group.id, DOCUMENT_LISTED_ALERTS + 1);
  return documentOf({
    title: group.title,
    severity: group.severity,
    source,
    alerts: alerts.map((alert) => ({ ...alert, endsAt: alert.endsAt ?? null, url: alert.url ?? null })),
  });
}
