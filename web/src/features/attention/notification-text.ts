import type { NotifiedApprovalsQuery, NotifiedSessionQuery } from '../../graphql/gen/documents.ts';
import { sessionPath } from '../../lib/paths.ts';
import { statusLook } from '../../theme.ts';
import { VERDICTS } from '../report/verdict.tsx';

export interface NotificationText {
  /** Notifications with the same tag replace each other, also those of other tabs. */
  readonly tag: string;
  readonly title: string;
  readonly body: string;
  /** Page that a click opens. */
  readonly path: string;
}

export function approvalText(approval: NotifiedApprovalsQuery['pendingApprovals'][number]): NotificationText {
  const { id, server, tool, session } = approval;
  return {
    tag: id,
    title: `Approval requested: ${server}.${tool}`,
    body: session.title,
    path: '/approvals',
  };
}

/**
 * Returns the notification of an ended session. Null if the session was cancelled, or if the viewer does not watch it
 * and its verdict requires no action.
 */
export function endText(
  session: NonNullable<NotifiedSessionQuery['session']>,
  watched: boolean,
): NotificationText | null {
  const { id, title, status, report, errorMessage } = session;
  if (status === 'CANCELLED') return null;
  if (!watched && report?.verdict !== 'ACTION_REQUIRED') return null;
  const outcome = report === null ? statusLook[status].label : VERDICTS[report.verdict].label;
  return {
    tag: id,
    title: `${outcome}: ${title}`,
    body: report?.headline ?? errorMessage ?? '',
    path: sessionPath(id),
  };
}
