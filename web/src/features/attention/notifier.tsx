import { useCallback, useEffect, useRef, useState } from 'react';
import { useClient, useSubscription } from 'urql';
import { useWaitingWork } from '../../components/use-system-state.ts';
import { countText, standstills } from '../../components/waits.ts';
import {
  NotifiedApprovalsDocument,
  NotifiedSessionDocument,
  SessionsChangedDocument,
} from '../../graphql/gen/documents.ts';
import { uuidOf } from '../../lib/paths.ts';
import { useLocation, useNavigate } from '../../lib/router.tsx';
import { useServerClock } from '../../lib/server-clock.ts';
import { isFinished } from '../../lib/status.ts';
import { sessionOfPath } from '../../pages.ts';
import { useApprovalsChanged } from '../approvals/use-approvals-changed.ts';
import { useSoundChoice } from './notification-choice.ts';
import { approvalText, endText, type NotificationText } from './notification-text.ts';
import { playSound } from './play-sound.ts';

/**
 * Shows desktop notifications while the page is in the background: for requested approvals, for sessions that end and
 * need action or are open in this tab, and for new causes of a standstill.
 */
export default function Notifier() {
  const show = useShow();
  useApprovalNotifications(show);
  useEndNotifications(show);
  useStandstillNotifications(show);
  return null;
}

type Show = (text: NotificationText) => void;

function useShow(): Show {
  const navigate = useNavigate();
  const [sound] = useSoundChoice();
  return useCallback(
    ({ tag, title, body, path }) => {
      if (document.visibilityState === 'visible' && document.hasFocus()) return;
      const notification = new Notification(title, { tag, body });
      notification.onclick = () => {
        window.focus();
        navigate(path);
        notification.close();
      };
      if (sound === 'on') playSound();
    },
    [navigate, sound],
  );
}

function useApprovalNotifications(show: Show): void {
  const client = useClient();
  const known = useRef<ReadonlySet<string> | null>(null);
  const read = useCallback(async () => {
    const { data } = await client
      .query(NotifiedApprovalsDocument, {}, { requestPolicy: 'network-only' })
      .toPromise();
    if (!data) return;
    // The first answer holds approvals that waited before the page was opened. The badge shows them.
    const before = known.current;
    known.current = new Set(data.pendingApprovals.map(({ id }) => id));
    for (const approval of data.pendingApprovals)
      if (before !== null && !before.has(approval.id)) show(approvalText(approval));
  }, [client, show]);
  const readNow = useCallback(() => void read(), [read]);
  useEffect(readNow, [readNow]);
  useApprovalsChanged(readNow);
}

function useEndNotifications(show: Show): void {
  const client = useClient();
  const { pathname } = useLocation();
  const ended = useRef(new Set<string>());
  const clock = useServerClock();
  const [since] = useState(clock.now);
  const notify = async (id: string): Promise<void> => {
    const { data } = await client
      .query(NotifiedSessionDocument, { id }, { requestPolicy: 'network-only' })
      .toPromise();
    const open = sessionOfPath(pathname);
    const text = data?.session ? endText(data.session, open !== null && uuidOf(open) === uuidOf(id)) : null;
    if (text !== null) show(text);
  };
  useSubscription({ query: SessionsChangedDocument }, (_before, data) => {
    const { id, status, completedAt } = data.sessionsChanged.session;
    // A finished session changes again, for example when it is reviewed.
    const endedNow = isFinished(status) && Date.parse(completedAt ?? '') > since;
    if (endedNow && !ended.current.has(id)) {
      ended.current.add(id);
      void notify(id);
    }
    return data;
  });
}

function useStandstillNotifications(show: Show): void {
  const work = useWaitingWork();
  const known = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    if (work === undefined) return;
    // The wait for tools has a short limit, after which the session continues.
    const causes = standstills(work).filter(({ reason }) => reason !== 'TOOLS');
    const before = known.current;
    known.current = new Set(causes.map(({ reason, message }) => `${reason} ${message}`));
    for (const cause of causes) {
      const tag = `${cause.reason} ${cause.message}`;
      if (before === null || before.has(tag)) continue;
      show({ tag, title: `Waiting: ${countText(cause)}`, body: cause.message, path: '/system#waiting' });
    }
  }, [work, show]);
}
