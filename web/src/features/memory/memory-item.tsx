import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import { useState } from 'react';
import { Disclosure } from '../../components/disclosure.tsx';
import { StatusDot } from '../../components/status-chip.tsx';
import { Ago } from '../../components/time.tsx';
import { useRights } from '../../components/use-rights.ts';
import type { MemoryItemFragment } from '../../graphql/gen/documents.ts';
import { sessionPath } from '../../lib/paths.ts';
import { Link as RouterLink } from '../../lib/router.tsx';
import { DeleteMemoryDialog } from './delete-memory-dialog.tsx';
import { EditMemoryDialog } from './edit-memory-dialog.tsx';
import { CATEGORIES } from './memory-labels.ts';

interface Props {
  readonly memory: MemoryItemFragment;
  readonly changed: () => void;
}

export function MemoryItem({ memory, changed }: Props) {
  const [dialog, setDialog] = useState<'edit' | 'delete' | null>(null);
  const mayChange = useRights().may('ADMIN');
  const { content, category, alertType, team, confidence, seenCount, deprecated, sourceSession } = memory;
  const name = content.slice(0, 60);
  const close = (): void => setDialog(null);
  const done = (): void => {
    close();
    changed();
  };
  return (
    <Box component="li" sx={layout}>
      <Box sx={{ gridArea: 'state' }}>
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.75, fontWeight: 600 }}>
          <StatusDot tone={deprecated ? 'stopped' : confidence >= 0.6 ? 'done' : 'late'} />
          {deprecated ? 'Deprecated' : `${Math.round(confidence * 100)} % confidence`}
        </Box>
        <Box sx={quiet}>{CATEGORIES[category]}</Box>
      </Box>
      <Box sx={{ gridArea: 'what', minWidth: 0 }}>
        <Box sx={{ fontSize: '0.875rem', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{content}</Box>
        <Box sx={quiet}>
          {[alertType, team === null ? null : `team ${team}`].filter((part) => part !== null).join(' · ')}
          {alertType === null && team === null ? '' : ' · '}
          {seenCount === 1 ? 'seen once' : `seen ${seenCount} times`}, last <Ago time={memory.updatedAt} />
          {sourceSession === null ? null : (
            <>
              {', learned from '}
              <Link component={RouterLink} to={sessionPath(sourceSession.id)}>
                {sourceSession.title}
              </Link>
            </>
          )}
        </Box>
        <Uses memory={memory} />
      </Box>
      {mayChange ? (
        <Box sx={{ gridArea: 'action', display: 'flex', gap: 0.75, justifySelf: 'end' }}>
          <Button variant="outlined" aria-label={`Edit: ${name}`} onClick={() => setDialog('edit')}>
            Edit
          </Button>
          <Button variant="outlined" aria-label={`Delete: ${name}`} onClick={() => setDialog('delete')}>
            Delete
          </Button>
        </Box>
      ) : null}
      {dialog === 'edit' ? <EditMemoryDialog memory={memory} close={close} changed={done} /> : null}
      {dialog === 'delete' ? <DeleteMemoryDialog memory={memory} close={close} deleted={done} /> : null}
    </Box>
  );
}

function Uses({ memory: { id, usedIn } }: { memory: MemoryItemFragment }) {
  if (usedIn.length === 0) return <Box sx={quiet}>Not yet given to agents.</Box>;
  const count =
    usedIn.length === 1 ? '1 session' : `${usedIn.length === 100 ? '100 or more' : usedIn.length} sessions`;
  return (
    <Box sx={quiet}>
      <Disclosure stateKey={`uses ${id}`} summary={<span>Given to agents in {count}</span>}>
        <Box component="ul" sx={{ m: 0, mt: 0.5, pl: 2.5 }}>
          {usedIn.map((session) => (
            <li key={session.id}>
              <Link component={RouterLink} to={sessionPath(session.id)}>
                {session.title}
              </Link>
              , <Ago time={session.createdAt} />
            </li>
          ))}
        </Box>
      </Disclosure>
    </Box>
  );
}

const layout = {
  display: 'grid',
  alignItems: 'start',
  columnGap: 2,
  rowGap: 0.75,
  px: 1.5,
  py: 1.25,
  fontSize: '0.8125rem',
  gridTemplateColumns: { xs: '1fr auto', sm: '140px minmax(0, 1fr) auto' },
  gridTemplateAreas: { xs: '"state action" "what what"', sm: '"state what action"' },
} as const;
const quiet = { mt: 0.25, color: 'text.secondary', overflowWrap: 'anywhere' } as const;
