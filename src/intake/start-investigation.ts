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
import { runbookOf } from './alert-runbook.ts';
import { formatDuration } from './duration-text.ts';
import { groupDocument } from './group-document.ts';
import { coveredNames, type LockedGroup } from './locked-group.ts';
import { alertsOfGroup } from './store/alerts.ts';
import { describeNewStorm, findStorm } from './storm.ts';
import { DOCUMENT_LISTED_ALERTS } from './tunables.ts';

export interface InvestigationDeps {
  config: Pick<IntakeConfig, 'storm'>;
  submissions: Submissions;
  /** Returns why an investigation must wait for a budget; `null` if it need not. */
  overBudget(tx: Queryable, subject: BudgetSubject): Promise<string | null>;
  /** An alert submitted as text, whose session gets this text and author; absent for deliveries. */
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
 * Lets a group join the session of its source's storm, which it creates if needed. Returns `null` if there is no storm.
 * @throws TooManyAlertsError, ValidationError
 */
export async function joinStorm(
  deps: InvestigationDeps,
  locked: LockedGroup,
): Promise<StartedInvestigation | null> {
  const { tx, now, group, source } = locked;
  if (locked.isFarFromStorm) return null;
  await locked.storeRows?.(); // the storm limit also counts earlier groups of this delivery
  const storm = await findStorm(tx, group, deps.config.storm, now);
  if (storm === null) return null;
  const { groups, withinMs, waitMs } = deps.config.storm;
  const reason = `More than ${groups} groups of ${source.name} within ${formatDuration(withinMs)}. One investigation covers all further groups.`;
  let { sessionId } = storm;
  let newSession: SessionSnapshot | null = null;
  if (sessionId === null) {
    const description = describeNewStorm(group, deps.config.storm);
    newSession = await insertGroupSession(deps, locked, { ...description, groupId: null, waitMs });
    sessionId = newSession.id;
  }
  return { outcome: 'STORM', reason, sessionId, newSession, group: { ...coverage(locked), sessionId } };
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
      : ` Waiting ${formatDuration(ruling.groupWaitMs)} for more alerts of the group.`;
  return {
    outcome: 'INVESTIGATED',
    reason: `${why}${waits}`,
    sessionId: session.id,
    newSession: session,
    group: { ...coverage(locked), sessionId: session.id },
  };
}

/** Returns the group's columns that record what its new investigation covers. */
function coverage({ now, group, firing }: LockedGroup): Partial<AlertGroupRow> {
  const investigatedNames = coveredNames(firing);
  return { investigatedAt: now, investigatedSeverity: group.severity, investigatedNames };
}

async function insertGroupSession(
  { submissions, submitted }: InvestigationDeps,
  { tx, group, source, ruling }: LockedGroup,
  more: GroupDescription & { groupId: string | null; waitMs: number },
): Promise<SessionSnapshot> {
  const { data, headline, groupId, waitMs, runbookUrl = null } = more;
  const team = group.team ?? null;
  if (submitted && groupId !== null) {
    const { input, author } = submitted;
    const alertType = ruling.alertType ?? input.alertType ?? null;
    const session = await submissions.prepare({ ...input, alertType, team }, author);
    // Keeps the headline of the submitted text, because it describes the problem better. Only a severity that the
    // sender gives replaces the headline's.
    const givenSeverity = headline.severity === 'UNKNOWN' ? {} : { severity: headline.severity };
    return insertSession(tx, { ...session, headline: { ...session.headline, ...givenSeverity }, groupId });
  }
  const alert = { data, alertType: ruling.alertType, team };
  const session = await submissions.prepare(alert, source.name, headline);
  return insertSession(tx, { ...session, id: uuidv7(), groupId, waitMs, runbookUrl });
}

interface GroupDescription {
  data: string;
  headline: Headline;
  /** Address of the runbook that the group's first alert names. */
  runbookUrl?: string | null;
}

/** Returns the text that agents receive about the group, its headline for lists, and its runbook. */
export async function describeGroup(locked: LockedGroup): Promise<GroupDescription> {
  const { tx, source, allAlerts } = locked;
  const { title, severity, id } = locked.group;
  if (!allAlerts) await locked.storeRows?.();
  const alerts = allAlerts ?? (await alertsOfGroup(tx, id, DOCUMENT_LISTED_ALERTS + 1));
  return {
    data: groupDocument({ title, severity, source: source.name, alerts }),
    headline: { title, severity, entities: entitiesFromLabels(alerts.map(({ labels }) => labels)) },
    runbookUrl: runbookOf(alerts),
  };
}
