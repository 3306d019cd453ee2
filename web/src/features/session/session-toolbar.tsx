import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import { memo } from 'react';
import { AgainIcon, CheckIcon, LinkIcon, TraceIcon } from '../../components/icons.tsx';
import { Ago } from '../../components/time.tsx';
import { toolButton } from '../../components/tool-button.ts';
import { useCopy } from '../../components/use-copy.ts';
import { useRights } from '../../components/use-rights.ts';
import type { SessionPageQuery } from '../../graphql/gen/documents.ts';
import { groupPath, tracePath, uuidOf } from '../../lib/paths.ts';
import { Link as RouterLink } from '../../lib/router.tsx';
import { isFinished } from '../../lib/status.ts';
import { ExportMenu } from '../export/export-menu.tsx';
import { pageLink } from '../timeline/page-link.ts';

export type SessionDetail = NonNullable<SessionPageQuery['session']>;

interface Props {
  readonly session: SessionDetail;
}

/** Shows the state of the session's alerts and the actions on the session. */
export const SessionHeader = memo(function SessionHeader({ session }: Props) {
  const maySubmit = useRights().may('SUBMIT_ALERTS');
  return (
    <Box sx={{ mb: 2 }}>
      <Box sx={line}>
        {session.entities.length === 0 ? null : (
          <Box sx={{ color: 'text.secondary', overflowWrap: 'anywhere', minWidth: 0 }}>
            {session.entities.join(' · ')}
          </Box>
        )}
        <Problem session={session} />
        <Box sx={ways}>
          {isFinished(session.status) && maySubmit ? (
            <Way
              to={`/submit?from=${encodeURIComponent(uuidOf(session.id))}`}
              label="Submit again"
              Icon={AgainIcon}
            />
          ) : null}
          <Way to={tracePath(session.id)} label="Trace" Icon={TraceIcon} />
          <ExportMenu sessionId={session.id} />
          <CopyLink />
        </Box>
      </Box>
    </Box>
  );
});

/** Links to the alert group with the number of alerts, and shows when it was resolved. */
function Problem({ session }: { session: SessionDetail }) {
  const { group } = session;
  const resolvedAt = overSince(session);
  return (
    <>
      {group === null ? null : (
        <Link component={RouterLink} to={groupPath(group.id)} underline="hover" sx={problem}>
          {countOf(group)}
          {group.state === 'FIRING' ? `, ${firing(group)}` : ''}
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

/**
 * Returns when the alerts were resolved; `null` if they were not. A session that was cancelled because its alerts
 * were resolved has only its group's time.
 */
export const overSince = ({ resolvedAt, group }: SessionDetail): string | null =>
  resolvedAt ?? group?.resolvedAt ?? null;

const countOf = ({ alertCount }: NonNullable<SessionDetail['group']>): string =>
  alertCount === 1 ? '1 alert' : `${alertCount} alerts`;

const firing = ({ alertCount, firingCount }: NonNullable<SessionDetail['group']>): string =>
  firingCount === alertCount ? 'firing' : `${firingCount} firing`;

const line = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: { xs: 0.75, sm: 1.5 },
  minHeight: 32,
  fontSize: '0.875rem',
} as const;
// To the right of the facts, or below them on a narrow screen.
const ways = { display: 'flex', alignItems: 'center', gap: 'inherit', ml: 'auto' } as const;
const problem = { display: 'inline-flex', alignItems: 'center', gap: 0.75, fontSize: '0.875rem' } as const;

function Way({ to, label, Icon }: { to: string; label: string; Icon: typeof TraceIcon }) {
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
      aria-label={outcome ?? 'Copy the link to this session'}
      onClick={() => copy(pageLink())}
      sx={toolButton}
    >
      {outcome === 'Copied' ? <CheckIcon /> : <LinkIcon />}
      {outcome ?? 'Link'}
    </Button>
  );
}
