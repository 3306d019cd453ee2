import Link from '@mui/material/Link';
import { type ReactNode, useMemo } from 'react';
import { Ago } from '../../components/time.tsx';
import { WaitLine } from '../../components/wait-note.tsx';
import type { SessionRowFragment } from '../../graphql/gen/documents.ts';
import { sessionPath } from '../../lib/paths.ts';
import { Link as RouterLink } from '../../lib/router.tsx';
import type { PendingCall } from '../approvals/use-pending-calls.ts';
import { ActiveList } from './active-list.tsx';

interface Props {
  readonly rows: readonly SessionRowFragment[];
  readonly calls: readonly PendingCall[];
  readonly stageCounts: ReadonlyMap<string, number>;
}

/** Lists the sessions whose tool calls wait for approval, each call with a link to its decision. */
export default function ApprovalList({ rows, calls, stageCounts }: Props) {
  const notes = useMemo(() => {
    const bySession = Map.groupBy(calls, ({ session }) => session.id);
    return new Map<string, ReactNode>(
      [...bySession].map(([id, own]) => [id, own.map((call) => <Call key={call.id} call={call} />)]),
    );
  }, [calls]);
  return <ActiveList rows={rows} stageCounts={stageCounts} emptyText="" notes={notes} />;
}

function Call({ call: { server, tool, requestedAt, session, timelineEvent } }: { call: PendingCall }) {
  const name = `${server}.${tool}`;
  return (
    <WaitLine>
      <b>{name}</b> needs approval, requested <Ago time={requestedAt} />.{' '}
      <Link
        component={RouterLink}
        to={`${sessionPath(session.id)}#event-${timelineEvent.sequenceNumber}`}
        aria-label={`Decide on ${name}`}
        sx={{ position: 'relative', zIndex: 1, fontWeight: 600 }}
      >
        Decide
      </Link>
    </WaitLine>
  );
}
