import { useClient } from 'urql';
import { SessionNeighbourDocument } from '../../graphql/gen/documents.ts';
import { groupPath, sessionPath, tracePath } from '../../lib/paths.ts';
import { useNavigate } from '../../lib/router.tsx';
import { neighbourInList } from '../../lib/session-order.ts';
import { useShortcuts } from '../../lib/shortcuts.ts';
import type { SessionDetail } from './session-detail.ts';

/** Registers the keys of the session page. `ask` focuses the question field; undefined while no question can be asked. */
export function useSessionShortcuts(session: SessionDetail, ask: (() => void) | undefined): void {
  const navigate = useNavigate();
  const client = useClient();
  const goTo = async (step: 1 | -1): Promise<void> => {
    const listed = neighbourInList(session.id, step);
    const id = listed === undefined ? await neighbourInTime(step) : listed;
    if (id !== null) navigate(sessionPath(id));
  };
  // The session list shows the newest session first, so that the next session is the older one.
  const neighbourInTime = async (step: 1 | -1): Promise<string | null> => {
    const { createdAt } = session;
    const older = step === 1;
    const { data } = await client
      .query(SessionNeighbourDocument, {
        filter: older ? { createdBefore: createdAt } : { createdAfter: createdAt },
        orderBy: { field: 'CREATED_AT', direction: older ? 'DESC' : 'ASC' },
      })
      .toPromise();
    return data?.sessions.nodes.find(({ id }) => id !== session.id)?.id ?? null;
  };
  const { group } = session;
  useShortcuts('Session', [
    { key: 'j', label: 'Next session', run: () => void goTo(1) },
    { key: 'k', label: 'Previous session', run: () => void goTo(-1) },
    { key: '/', label: 'Find in session', run: focusFind },
    ...(ask === undefined ? [] : [{ key: 'q', label: 'Ask a question', run: ask }]),
    { key: 't', label: 'Open trace', run: () => navigate(tracePath(session.id)) },
    ...(group === null
      ? []
      : [{ key: 'g', label: 'Open alert group', run: () => navigate(groupPath(group.id)) }]),
    { key: 'u', label: 'Back to sessions', run: () => navigate('/') },
  ]);
}

function focusFind(): void {
  const field = document.querySelector<HTMLInputElement>('[data-find-in-session]');
  field?.focus();
  field?.select();
}
