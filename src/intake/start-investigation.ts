import { uuidv7 } from '../common/uuidv7.ts';
import type { IntakeConfig } from '../config/types.ts';
import type { AlertGroupRow } from '../db/entities/index.ts';
import type { IntakeOutcome } from '../db/enums.ts';
import type { Queryable } from '../db/queryable.ts';
import { entitiesFromLabels } from '../engine/alert/entities.ts';
import type { Headline, SessionSnapshot, SubmitAlertInput } from '../engine/api/engine.ts';
import type { BudgetSubject } from '../engine/features/budgets/budgets.ts';
import type { Submissions } from '../engine/sessions/submit.ts';
import { insertSession } from '../engine/store/sessions.ts';
import { formatDuration } from './duration-text.ts';
import { groupDocument } from './group-document.ts';
import { coveredNames, type LockedGroup } from './locked-group.ts';
import { alertsOfGroup } from './store/alerts.ts';
import { findStorm, stormDocument, stormHeadline } from './storm.ts';
import { DOCUMENT_LISTED_ALERTS } from './tunables.ts';

export interface InvestigationDeps {
  config: Pick<IntakeConfig, 'storm'>;
  submissions: Submissions;
  /** Returns why an investigation would wait for a budget; `null` if it would not. */
  overBudget(tx: Queryable, subject: BudgetSubject): Promise<string | null>;
  /** Set for an alert submitted as text, which is investigated as written and under its author's name. */
  submitted?: { input: SubmitAlertInput; author: string };
}

interface StartedInvestigation {
  outcome: IntakeOutcome;
  reason: string;
  sessionId: string;
  newSession: SessionSnapshot | null;
  group: Partial<AlertGroupRow>;
}

/**
 * Creates the session of a group, or lets it join a storm's session. Other groups of the source wait until this transaction
 * ends, so that their recent number is exact.
 * @throws TooManyAlertsError, ValidationError
 */
export async function startInvestigation(
  deps: InvestigationDeps,
  locked: LockedGroup,
  why: string,
): Promise<StartedInvestigation> {
  const { tx, now, group, source } = locked;
  if (locked.isFarFromStorm) return startGroupSession(deps, locked, why);
  await locked.storeRows?.(); // groups of one delivery count among each other
  const storm = await findStorm(tx, group, deps.config.storm, now);
  if (storm === null) return startGroupSession(deps, locked, why);
  const covers = coverage(locked);
  const { groups, withinMs } = deps.config.storm;
  const reason = `More than ${groups} groups of ${source.name} were to be investigated within ${formatDuration(withinMs)}: one session for all beyond ${groups}.`;
  if (storm.sessionId !== null)
    return {
      outcome: 'STORM',
      reason,
      sessionId: storm.sessionId,
      newSession: null,
      group: { ...covers, sessionId: storm.sessionId },
    };
  const data = stormDocument({
    source: source.name,
    groups,
    first: group,
    withinMs,
  });
  const session = await insertGroupSession(deps, locked, {
    data,
    headline: stormHeadline(source.name, groups, group.severity),
    groupId: null,
    waitMs: deps.config.storm.waitMs,
  });
  return started('STORM', reason, session, covers);
}

/** Creates the session of a group, regardless of storms. @throws TooManyAlertsError, ValidationError */
export async function startGroupSession(
  deps: InvestigationDeps,
  locked: LockedGroup,
  why: string,
): Promise<StartedInvestigation> {
  const { group, ruling } = locked;
  const session = await insertGroupSession(deps, locked, {
    ...(await describeGroup(locked)),
    groupId: group.id,
    waitMs: ruling.groupWaitMs,
  });
  const waits =
    session.runAt === null
      ? ''
      : ` It waits ${formatDuration(ruling.groupWaitMs)} for more alerts of its group.`;
  return started('INVESTIGATED', `${why}${waits}`, session, coverage(locked));
}

/** Returns the group's columns that record what its new investigation covers. */
function coverage({ now, group, firing }: LockedGroup): Partial<AlertGroupRow> {
  return {
    investigatedAt: now,
    investigatedSeverity: group.severity,
    investigatedNames: coveredNames(firing),
  };
}

function started(
  outcome: IntakeOutcome,
  reason: string,
  session: SessionSnapshot,
  covers: Partial<AlertGroupRow>,
): StartedInvestigation {
  return {
    outcome,
    reason,
    sessionId: session.id,
    newSession: session,
    group: { ...covers, sessionId: session.id },
  };
}

async function insertGroupSession(
  { submissions, submitted }: InvestigationDeps,
  { tx, group, source, ruling }: LockedGroup,
  more: GroupDescription & { groupId: string | null; waitMs: number },
): Promise<SessionSnapshot> {
  const { data, headline, groupId, waitMs } = more;
  const team = group.team ?? null;
  if (submitted && groupId !== null) {
    const { input, author } = submitted;
    const session = await submissions.prepare(
      { ...input, alertType: ruling.alertType ?? input.alertType ?? null, team },
      author,
    );
    // The submitted text describes the problem better than its group; only the given severity is taken from the group.
    const givenSeverity = headline.severity === 'UNKNOWN' ? {} : { severity: headline.severity };
    return insertSession(tx, { ...session, headline: { ...session.headline, ...givenSeverity }, groupId });
  }
  const alert = { data, alertType: ruling.alertType, team };
  const session = await submissions.prepare(alert, source.name, headline);
  return insertSession(tx, { ...session, id: uuidv7(), groupId, waitMs });
}

interface GroupDescription {
  data: string;
  headline: Headline;
}

/** Returns the text that agents receive about the group, and the headline for lists. */
export async function describeGroup(locked: LockedGroup): Promise<GroupDescription> {
  const { tx, source, allAlerts } = locked;
  const { title, severity, id } = locked.group;
  if (!allAlerts) await locked.storeRows?.();
  const alerts = allAlerts ?? (await alertsOfGroup(tx, id, DOCUMENT_LISTED_ALERTS + 1));
  const documented = alerts.map((alert) => ({
    ...alert,
    endsAt: alert.endsAt ?? null,
    url: alert.url ?? null,
  }));
  return {
    data: groupDocument({ title, severity, source: source.name, alerts: documented }),
    headline: { title, severity, entities: entitiesFromLabels(alerts.map(({ labels }) => labels)) },
  };
}
