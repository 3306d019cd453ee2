import { visibleJson } from '../common/visible-json.ts';
import type { NotificationDeliveryRow, StoredClaim, StoredOrigin } from '../db/entities/index.ts';
import type { Severity } from '../db/enums.ts';
import type { Queryable } from '../db/queryable.ts';
import { readStoredReport } from '../engine/store/reports.ts';
import {
  createTexts,
  MAX_ARGUMENTS,
  MAX_TO_DO,
  type Notice,
  type NoticeCall,
  type Texts,
  VERDICT_WORDS,
} from './notice.ts';

export interface ReadNoticeDeps {
  db: Queryable;
  /** Masks secrets; may throw. */
  mask: (text: string) => string;
  dashboardUrl: string;
}

export type NoticeSource = Pick<NotificationDeliveryRow, 'event' | 'sessionId' | 'notice'>;

const ENDS: Readonly<Record<string, string>> = {
  COMPLETED: 'Investigation completed',
  FAILED: 'Investigation failed',
  TIMED_OUT: 'Investigation timed out',
  CANCELLED: 'Investigation cancelled',
};

const DECISIONS: Readonly<Record<string, string>> = {
  PENDING: 'Approval needed',
  DENIED: 'Denied',
  EXPIRED: 'Expired without a decision',
  WITHDRAWN: 'Approval withdrawn',
};

const SYSTEM: Readonly<Record<string, { title: string; page: string }>> = {
  'budget.reached': { title: 'Budget reached', page: '/system/usage' },
  'canary.failing': { title: 'The canary is failing', page: '/system' },
  'source.silent': { title: 'A heartbeat is missing', page: '/system' },
  'replay.worse': { title: 'Replays answer worse than expected', page: '/review/cases' },
  test: { title: 'Test of this channel', page: '/system/notifications' },
};

/** Reads the content of a notification from the current state of its session. `null` if the session is deleted. */
export async function readNotice(deps: ReadNoticeDeps, source: NoticeSource): Promise<Notice | null> {
  const texts = createTexts(deps.mask);
  const { event, sessionId = null, notice: stored } = source;
  const system = SYSTEM[event];
  const session = sessionId === null ? null : await readNoticeSession(deps.db, sessionId);
  if (session === null && sessionId !== null) return null;
  const common = {
    event: event as Notice['event'],
    session: session && {
      id: session.id,
      title: session.title && texts.line(session.title),
      alertType: texts.line(session.alertType),
      status: session.status,
      team: session.team && texts.line(session.team),
    },
    verdict: null,
    severity: session?.severity ?? null,
    affected: affected(texts, session?.entities ?? []),
    toDo: [],
    why: stored.text === undefined ? null : texts.text(stored.text),
    call: null,
    link: `${deps.dashboardUrl}${session === null ? (system?.page ?? '') : `/sessions/${session.id}`}`,
  };
  if (system) return { ...common, title: system.title, ...testText(texts, source) };
  if (session === null) return null;
  const name = session.title === null ? session.alertType : session.title;
  if (stored.approvalId !== undefined) return approvalNotice(deps, texts, common, stored.approvalId);
  if (event === 'session.started') return { ...common, title: texts.line(`Investigation started: ${name}`) };
  const report = await readStoredReport(deps.db, session.id);
  const title = report
    ? `${VERDICT_WORDS[report.verdict]}: ${report.headline}`
    : `${ENDS[session.status] ?? 'Investigation ended'}: ${name}`;
  const causes = claimsOf(report?.claims, 'CAUSE');
  return {
    ...common,
    title: texts.line(title),
    verdict: report?.verdict ?? null,
    affected: affected(texts, report?.entities ?? session.entities ?? []),
    toDo: claimsOf(report?.claims, 'RECOMMENDATION')
      .slice(0, MAX_TO_DO)
      .map((text) => texts.line(text, 500)),
    why: nullIfEmpty(texts.text(causes.length > 0 ? causes.join('\n') : conclusionOf(session))),
  };
}

function testText(texts: Texts, { event, notice }: NoticeSource): Partial<Notice> {
  if (event !== 'test') return {};
  return { why: texts.line(`${notice.requestedBy ?? 'A user'} requested this test. Nothing happened.`) };
}

type Common = Omit<Notice, 'title'>;

async function approvalNotice(
  { db }: ReadNoticeDeps,
  texts: Texts,
  common: Common,
  approvalId: string,
): Promise<Notice | null> {
  const { rows } = await db.query<NoticeApproval>(APPROVAL, [approvalId]);
  const [approval] = rows;
  if (!approval) return null;
  const call: NoticeCall = {
    approvalId,
    server: texts.line(approval.server),
    tool: texts.line(approval.tool),
    arguments: texts.text(visibleJson(approval.arguments), MAX_ARGUMENTS),
    status: approval.status,
    requiredApprovals: approval.requiredApprovals,
    expiresAt: approval.expiresAt.toISOString(),
    decisions: approval.decisions.map(({ actor, approved, comment }) => ({
      actor: texts.line(actor),
      approved,
      comment: comment && texts.line(comment, 500),
    })),
  };
  const state = DECISIONS[approval.status] ?? 'Approved';
  const untrusted = approval.provenance.filter(({ isUntrusted }) => isUntrusted).map(({ path }) => path);
  const warning =
    untrusted.length === 0 ? [] : [`Values that occur only in untrusted results: ${untrusted.join(', ')}.`];
  return {
    ...common,
    title: texts.line(`${state}: ${approval.server}.${approval.tool}`),
    toDo:
      approval.status === 'PENDING' ? ['Open the page, compare the arguments, then approve or deny.'] : [],
    why: nullIfEmpty(texts.text([approval.reason ?? '', ...warning].filter(Boolean).join('\n'))),
    call,
  };
}

interface NoticeApproval {
  server: string;
  tool: string;
  arguments: unknown;
  status: string;
  reason: string | null;
  provenance: StoredOrigin[];
  requiredApprovals: number;
  expiresAt: Date;
  decisions: { actor: string; approved: boolean; comment: string | null }[];
}

const APPROVAL = `select server, tool, arguments, status, reason, provenance, required_approvals as "requiredApprovals",
    expires_at as "expiresAt", coalesce((
      select jsonb_agg(jsonb_build_object('actor', d.actor, 'approved', d.approved, 'comment', d.comment) order by d.at, d.id)
      from approval_decisions d where d.approval_id = a.id), '[]') as decisions
  from approvals a where id = $1`;

interface SessionFacts {
  id: string;
  title: string | null;
  alertType: string;
  status: string;
  team: string | null;
  severity: Severity | null;
  entities: string[] | null;
  conclusion: string | null;
  problem: string | null;
}

async function readNoticeSession(db: Queryable, id: string): Promise<SessionFacts | null> {
  const { rows } = await db.query<SessionFacts>(
    `select id, title, alert_type as "alertType", status, team, severity, entities,
       coalesce(executive_summary, left(final_analysis, 10000)) as conclusion,
       coalesce(case when status = 'CANCELLED' then cancel_reason end, error_message) as problem
     from alert_sessions where id = $1 and deleted_at is null`,
    [id],
  );
  return rows[0] ?? null;
}

function conclusionOf({ status, conclusion, problem }: SessionFacts): string {
  return (status === 'COMPLETED' ? conclusion : problem) ?? '';
}

function claimsOf(claims: readonly StoredClaim[] | undefined, kind: StoredClaim['kind']): string[] {
  return (claims ?? [])
    .filter((claim) => claim.kind === kind)
    .map(({ text, status }) => (status === 'SUPPORTED' || kind !== 'CAUSE' ? text : `Not proven: ${text}`));
}

const MAX_AFFECTED = 5;

function affected(texts: Texts, entities: readonly string[]): string | null {
  const shown = entities.slice(0, MAX_AFFECTED).map((entity) => texts.line(entity, 100));
  const more = entities.length - shown.length;
  return shown.length === 0 ? null : `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function nullIfEmpty(text: string): string | null {
  return text === '' ? null : text;
}
