import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import { memo } from 'react';
import { AgainIcon, CheckIcon, LinkIcon, TraceIcon } from '../../components/icons.tsx';
import { Ago } from '../../components/time.tsx';
import { toolButton } from '../../components/tool-button.ts';
import { useCopy } from '../../components/use-copy.ts';
import { useRights } from '../../components/use-rights.ts';
import { groupPath, tracePath, uuidOf } from '../../lib/paths.ts';
import { Link as RouterLink } from '../../lib/router.tsx';
import { isFinished } from '../../lib/status.ts';
import { ExportMenu } from '../export/export-menu.tsx';
import { pageUrl } from '../timeline/page-link.ts';
import { resolvedTime, type SessionDetail } from './session-detail.ts';

interface Props {
  readonly session: SessionDetail;
}

/** Shows the session's entities, the state of its alerts, and buttons for the session. */
export const SessionToolbar = memo(function SessionToolbar({ session }: Props) {
  const maySubmit = useRights().may('SUBMIT_ALERTS');
  return (
    <Box sx={{ mb: 2 }}>
      <Box sx={line}>
        {session.entities.length === 0 ? null : (
          <Box sx={{ color: 'text.secondary', overflowWrap: 'anywhere', minWidth: 0 }}>
            {session.entities.join(' · ')}
          </Box>
        )}
        <AlertState session={session} />
        <Box sx={actions}>
          {isFinished(session.status) && maySubmit ? (
            <PageButton
              to={`/submit?from=${encodeURIComponent(uuidOf(session.id))}`}
              label="Submit again"
              Icon={AgainIcon}
            />
          ) : null}
          <PageButton to={tracePath(session.id)} label="Trace" Icon={TraceIcon} />
          <ExportMenu sessionId={session.id} />
          <CopyLink />
        </Box>
      </Box>
    </Box>
  );
});

/** Links to the alert group with its number of alerts, and shows when the alerts were resolved. */
function AlertState({ session }: { session: SessionDetail }) {
  const { group } = session;
  const resolvedAt = resolvedTime(session);
  return (
    <>
      {group === null ? null : (
        <Link component={RouterLink} to={groupPath(group.id)} underline="hover" sx={groupLink}>
          {alertCountText(group)}
          {group.state === 'FIRING' ? `, ${firingText(group)}` : ''}
        </Link>
      )}
      {resolvedAt === null ? null : (
        <Box sx={{ fontWeight: 600, color: 'status.done' }}>
          Resolved <Ago time={resolvedAt} />
        </Box>
      )}
    </>
  );
}

const alertCountText = ({ alertCount }: NonNullable<SessionDetail['group']>): string =>
  alertCount === 1 ? '1 alert' : `${alertCount} alerts`;

const firingText = ({ alertCount, firingCount }: NonNullable<SessionDetail['group']>): string =>
  firingCount === alertCount ? 'firing' : `${firingCount} firing`;

const line = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: { xs: 0.75, sm: 1.5 },
  minHeight: 32,
  fontSize: '0.875rem',
} as const;
// The buttons stand to the right of the facts, or below them on a narrow screen.
const actions = { display: 'flex', alignItems: 'center', gap: 'inherit', ml: 'auto' } as const;
const groupLink = { display: 'inline-flex', alignItems: 'center', gap: 0.75, fontSize: '0.875rem' } as const;

function PageButton({ to, label, Icon }: { to: string; label: string; Icon: typeof TraceIcon }) {
  return (
    <Button component={RouterLink} to={to} color="inherit" sx={toolButton}>
      <Icon />
      {label}
    </Button>
  );
}

function CopyLink() {
  const [outcome, copy] = useCopy();
  return (
    <Button
      color="inherit"
      aria-label={outcome ?? 'Copy link to this session'}
      onClick={() => copy(pageUrl())}
      sx={toolButton}
    >
      {outcome === 'Copied' ? <CheckIcon /> : <LinkIcon />}
      {outcome ?? 'Link'}
    </Button>
  );
}
