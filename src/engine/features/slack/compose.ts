import type { AlertSessionRow, ApprovalDecisionRow, ApprovalRow } from '../../../db/entities/index.ts';
import { isTerminalStatus, type SlackPoint } from '../../../db/enums.ts';
import type { Queryable } from '../../../db/queryable.ts';
import { readRows } from '../../live/event-log.ts';
import { readStoredReport } from '../../store/reports.ts';
import { readSession } from '../../store/sessions.ts';
import { type ApprovalView, approvalBlocks } from './approval-message.ts';
import {
  answerMessage,
  type MessageInput,
  pointMessage,
  type SlackMessage,
  sessionMessage,
} from './message.ts';

export interface ComposeDeps {
  db: Queryable;
  dashboardUrl: string;
  mask: (text: string) => string;
  /** True if users may act from Slack, so that messages have buttons. */
  isInteractive: boolean;
}

/** Returns the message about a point of a session; `null` if it is no longer needed. */
export async function composeMessage(
  deps: ComposeDeps,
  session: AlertSessionRow,
  point: SlackPoint,
): Promise<SlackMessage | null> {
  const { db } = deps;
  const [kind, id = ''] = point.split(':');
  const input: MessageInput = { ...deps, session, report: null };
  if (kind === 'STARTED') return isTerminalStatus(session.status) ? null : sessionMessage('STARTED', input);
  if (kind === 'APPROVAL') {
    const view = await readApproval(db, id);
    return view?.approval.status === 'PENDING' ? approvalMessage(view, deps) : null;
  }
  if (kind === 'ANSWER') {
    const answer = await readAnswer(db, session.id, id);
    return answer && answerMessage(point, input, answer);
  }
  const [report, notes] = [await readStoredReport(db, session.id), await budgetNotes(db, session.id)];
  return sessionMessage('TERMINAL', { ...input, report, notes });
}

/** Returns the message about the start of a session with a line about its status; `null` if there is no session. */
export async function startMessage(
  deps: ComposeDeps,
  sessionId: string,
  status: string,
): Promise<SlackMessage | null> {
  const session = await readSession(deps.db, sessionId);
  return session && sessionMessage('STARTED', { ...deps, session, report: null, notes: [status] });
}

/** Returns the message about a call that needs approval, in its current state. */
export function approvalMessage(
  view: ApprovalView,
  { dashboardUrl }: Pick<ComposeDeps, 'dashboardUrl'>,
): SlackMessage {
  const { id, sessionId, status } = view.approval;
  return pointMessage(`APPROVAL:${id}`, sessionId, {
    text: status === 'PENDING' ? 'A tool call needs approval' : 'A tool call needed approval',
    blocks: approvalBlocks(view, dashboardUrl),
  });
}

export async function readApproval(db: Queryable, id: string): Promise<ApprovalView | null> {
  const [approval] = await readRows<ApprovalRow>(
    db,
    'select to_jsonb(a) as row from approvals a where id = $1',
    [id],
  );
  if (!approval) return null;
  const decisions = await readRows<ApprovalDecisionRow>(
    db,
    'select to_jsonb(d) as row from approval_decisions d where approval_id = $1 order by at, id',
    [id],
  );
  return { approval, decisions };
}

interface Answer {
  question: string;
  /** Text of the answer, or why there is none. */
  text: string;
  isAnswered: boolean;
}

async function readAnswer(db: Queryable, sessionId: string, stageId: string): Promise<Answer | null> {
  const { rows } = await db.query<Answer>(
    `select m.content as question, st.status = 'COMPLETED' as "isAnswered",
       coalesce(case when st.status = 'COMPLETED' then t.content else st.error_message end, '') as text
     from stages st join chat_user_messages m on m.id = st.chat_message_id
     left join lateral (select content from timeline_events t
       where t.session_id = $1 and t.stage_id = st.id and t.type = 'FINAL_ANALYSIS' order by sequence_number desc limit 1) t on true
     where st.id = $2 and st.session_id = $1 and st.status not in ('PENDING', 'ACTIVE')`,
    [sessionId, stageId],
  );
  return rows[0] ?? null;
}

/** Returns the latest notice of each budget that the session reached, at most three. */
async function budgetNotes(db: Queryable, sessionId: string): Promise<string[]> {
  const { rows } = await db.query<{ content: string }>(
    `select distinct on (metadata->>'budget') content from timeline_events
     where session_id = $1 and type = 'BUDGET_REACHED' order by metadata->>'budget', sequence_number desc limit 3`,
    [sessionId],
  );
  return rows.map(({ content }) => content);
}
