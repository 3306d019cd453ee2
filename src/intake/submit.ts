import { createHash } from 'node:crypto';
import { type Actor, recordAudit } from '../audit.ts';
import { ValidationError } from '../common/errors.ts';
import { uuidv7 } from '../common/uuidv7.ts';
import type { IntakeDecisionRow } from '../db/entities/index.ts';
import type { Severity } from '../db/enums.ts';
import type { Queryable } from '../db/queryable.ts';
import { headlineOf } from '../engine/alert/headline.ts';
import type { SessionSnapshot, SubmitAlertInput, SubmittedAlert } from '../engine/api/engine.ts';
import { insertSession, readSession } from '../engine/store/sessions.ts';
import { API_SOURCE } from './apply-decision.ts';
import type { IncomingAlert, TextMap } from './delivery.ts';
import { AlertNotInvestigatedError } from './errors.ts';
import { keyOf } from './keys.ts';
import { type DeliveryDeps, processInTransaction } from './process-delivery.ts';
import type { RuledAlert } from './rules.ts';
import { readRows } from './store/rows.ts';
import { limitMap, truncate } from './text-limits.ts';
import { ANNOTATION_MAX_LENGTH, LABEL_MAX_LENGTH, MAX_LABELS, SUBMITTED_KEY_MAX_LENGTH } from './tunables.ts';

/** An alert submitted as text, with keys and labels to group it. */
export interface Submission extends SubmitAlertInput {
  dedupKey: string | null;
  idempotencyKey: string | null;
  severity: Severity | null;
  labels: unknown;
}

/** The viewer who submits an alert. */
export interface Submitter extends Actor {
  /** True if the viewer sees what belongs to a team; `null` = no team. */
  sees(team: string | null): boolean;
}

type ApplyRules = (alert: IncomingAlert, alertType: string | null) => RuledAlert;

/** The time (h) for which an idempotency key is kept. */
const KEY_HOURS = 24;

/** True if a submission has neither keys nor labels nor a severity. */
export function isPlainText({ dedupKey, idempotencyKey, severity, labels }: Submission): boolean {
  return dedupKey === null && idempotencyKey === null && severity === null && labels == null;
}

/**
 * Stores a submission with keys or labels in one transaction. A repeated idempotency key returns the first session.
 * @throws ValidationError, AlertTooLargeError, TooManyAlertsError, AlertNotInvestigatedError
 */
export async function submitWithKeys(
  deps: DeliveryDeps & { db: Queryable },
  applyRules: ApplyRules,
  submission: Submission,
  by: Actor,
): Promise<SubmittedAlert> {
  const author = by.name;
  const { dedupKey, idempotencyKey, severity, labels, ...input } = submission;
  const grouped = {
    dedupKey: checkedKey(dedupKey, 'dedupKey'),
    labels: checkedLabels(labels),
    severity,
    input,
    applyRules,
  };
  const key = checkedKey(idempotencyKey, 'idempotencyKey');
  await deps.submissions.prepare(input, author); // reports invalid input regardless of the decision
  const result = await deps.transaction(async (tx) => {
    const known = key === null ? null : await findFirstSubmission(tx, author, key, hashOf(submission));
    if (known !== null) return { sessionId: known, newSession: null, decision: null };
    const isGrouped = dedupKey !== null || severity !== null || labels != null;
    const made = isGrouped
      ? await submitToGroup({ ...deps, submitted: { input, author } }, tx, grouped)
      : submitted(await insertSession(tx, await deps.submissions.prepare(input, author)));
    if (key !== null && made.decision === null)
      await storeKey(tx, { author, key, hash: hashOf(submission), sessionId: made.sessionId! });
    await auditSubmission(tx, by, made);
    return made;
  });
  if (result.newSession) deps.submissions.stored(result.newSession);
  if (result.decision !== null) throw new AlertNotInvestigatedError(result.decision);
  return { ...(await readSession(deps.db, result.sessionId!))!, notes: [] };
}

function auditSubmission(tx: Queryable, by: Actor, { sessionId, decision }: Submitted): Promise<void> {
  const action = 'session.submit';
  if (decision === null) return recordAudit(tx, by, { action, target: { type: 'Session', id: sessionId! } });
  const { id, outcome } = decision;
  return recordAudit(tx, by, { action, target: { type: 'IntakeDecision', id }, detail: { outcome } });
}

/** The outcome of a submission: its session, or the decision not to investigate. */
interface Submitted {
  sessionId: string | null;
  newSession: SessionSnapshot | null;
  decision: IntakeDecisionRow | null;
}

function submitted(session: SessionSnapshot): Submitted {
  return { sessionId: session.id, newSession: session, decision: null };
}

interface Grouped {
  dedupKey: string | null;
  labels: TextMap;
  severity: Severity | null;
  input: SubmitAlertInput;
  applyRules: ApplyRules;
}

async function submitToGroup(
  deps: DeliveryDeps,
  tx: Queryable,
  { dedupKey, labels, severity, input, applyRules }: Grouped,
): Promise<Submitted> {
  const alertType = input.alertType ?? deps.defaultAlertType;
  const alert: IncomingAlert = {
    fingerprint: dedupKey === null ? uuidv7() : keyOf(dedupKey),
    groupKey: null,
    episode: null,
    title: headlineOf(input.data).title,
    severity: severity ?? 'UNKNOWN',
    state: 'FIRING',
    labels,
    annotations: { text: truncate(input.data, ANNOTATION_MAX_LENGTH) }, // shown if the alert is investigated later
    startsAt: null,
    endsAt: null,
    url: null,
  };
  const { result, newSessions } = await processInTransaction(deps, tx, {
    source: { name: API_SOURCE, alertType },
    deliveryKey: null,
    alerts: [applyRules(alert, alertType)],
  });
  const [group] = result.groups;
  if (newSessions[0]) return submitted(newSessions[0]);
  const [decision] = await readRows<IntakeDecisionRow>(
    tx,
    'select to_jsonb(d) as row from intake_decisions d where group_id = $1 order by at desc, id desc limit 1',
    [group!.groupId],
  );
  return { sessionId: null, newSession: null, decision: decision! };
}

function checkedKey(key: string | null, field: string): string | null {
  if (key === null) return null;
  if (key.trim() === '' || key.length > SUBMITTED_KEY_MAX_LENGTH || key.includes('\0') || !key.isWellFormed())
    throw new ValidationError(
      `A key must have 1 to ${SUBMITTED_KEY_MAX_LENGTH} characters, without NUL and halves of surrogate pairs.`,
      field,
    );
  return key;
}

function checkedLabels(labels: unknown): TextMap {
  if (labels == null) return {};
  const refuse = (problem: string) => new ValidationError(problem, 'labels');
  const entries = typeof labels === 'object' && !Array.isArray(labels) ? Object.entries(labels) : null;
  if (!entries?.every(([, value]) => ['string', 'number', 'boolean'].includes(typeof value)))
    throw refuse('Labels must be a mapping from names to texts, such as {"host": "db-03"}.');
  if (entries.length > MAX_LABELS)
    throw refuse(`The alert has ${entries.length} labels; at most ${MAX_LABELS} are accepted.`);
  const texts = entries.map(([name, value]) => [name, String(value)] as const);
  return limitMap(texts, 'labels', LABEL_MAX_LENGTH).map;
}

function hashOf(submission: Submission): string {
  return createHash('sha256').update(JSON.stringify(submission)).digest('hex');
}

/** Returns the session of an author's idempotency key; `null` if new. Concurrent submissions of the same key wait. */
async function findFirstSubmission(
  tx: Queryable,
  author: string,
  key: string,
  hash: string,
): Promise<string | null> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended($1 || chr(1) || $2, 2))`, [author, key]);
  const { rows } = await tx.query<{ hash: string; sessionId: string }>(
    `select content_hash as hash, session_id as "sessionId" from alert_submissions
     where author = $1 and idempotency_key = $2 and created_at > now() - interval '${KEY_HOURS} hours'`,
    [author, key],
  );
  if (!rows[0]) return null;
  if (rows[0].hash === hash) return rows[0].sessionId;
  throw new ValidationError(
    `This key was used for another alert within ${KEY_HOURS} hours. Send each alert with its own key.`,
    'idempotencyKey',
  );
}

async function storeKey(
  tx: Queryable,
  { author, key, hash, sessionId }: { author: string; key: string; hash: string; sessionId: string },
): Promise<void> {
  await tx.query(
    `insert into alert_submissions (author, idempotency_key, content_hash, session_id) values ($1, $2, $3, $4)
     on conflict (author, idempotency_key) do update
       set content_hash = excluded.content_hash, session_id = excluded.session_id, created_at = now()`,
    [author, key, hash, sessionId],
  );
}
