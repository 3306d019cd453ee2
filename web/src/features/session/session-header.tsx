import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import { memo } from 'react';
import { Link as RouterLink } from 'react-router';
import { CancelButton } from '../../components/cancel-button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { AgainIcon, LinkIcon, TraceIcon } from '../../components/icons.tsx';
import { SeverityChip, severityName } from '../../components/severity.tsx';
import { StatusChip } from '../../components/status-chip.tsx';
import { Ago, Duration } from '../../components/time.tsx';
import type { SessionPageQuery } from '../../graphql/gen/documents.ts';
import { groupPath } from '../../lib/paths.ts';
import { isCancellable, isFinished } from '../../lib/status.ts';
import { pageLink } from './page-link.ts';

export type SessionDetail = NonNullable<SessionPageQuery['session']>;

interface Props {
  readonly session: SessionDetail;
  readonly title: string;
}

/** What it is about, how it stands, and what can be done with it. */
export const SessionHeader = memo(function SessionHeader({ session, title }: Props) {
  const place =
    session.status === 'PENDING' && session.queuePosition !== null ? `#${session.queuePosition}` : undefined;
  return (
    <Box component="header" sx={{ mb: 2 }}>
      <Link
        component={RouterLink}
        to="/"
        underline="hover"
        sx={{ display: 'inline-block', fontSize: '0.8125rem', lineHeight: '24px' }}
      >
        ← Sessions
      </Link>
      <Typography variant="h1" sx={{ mt: 0.5, mb: 1, overflowWrap: 'anywhere' }}>
        {title}
      </Typography>
      <Box
        sx={{
          display: 'flex',
          flexWrap: 'wrap',
          alignItems: 'center',
          gap: { xs: 0.75, sm: 1.5 },
          minHeight: 32,
        }}
      >
        <StatusChip status={session.status} {...(place === undefined ? {} : { detail: place })} />
        <Box sx={{ fontWeight: 600 }}>
          <Duration start={session.startedAt} end={session.completedAt} />
        </Box>
        <Problem session={session} />
        <Box sx={{ flex: 1 }} />
        <Way to={`/sessions/${encodeURIComponent(session.id)}/trace`} label="Trace" Icon={TraceIcon} />
        {isFinished(session.status) ? (
          <Way to={`/submit?from=${encodeURIComponent(session.id)}`} label="Submit again" Icon={AgainIcon} />
        ) : null}
        <CopyButton
          label="Copy the link to this session"
          icon={<LinkIcon fontSize="small" />}
          text={() => pageLink()}
        />
        {isCancellable(session.status) ? <CancelButton sessionId={session.id} name={title} /> : null}
      </Box>
      {session.errorMessage === null || session.status === 'CANCELLED' ? null : (
        <Alert
          severity={session.status === 'FAILED' ? 'error' : 'warning'}
          variant="outlined"
          sx={{ mt: 1.5, overflowWrap: 'anywhere' }}
        >
          {session.errorMessage}
        </Alert>
      )}
    </Box>
  );
});

/** How bad the alerts are that it is about, whether they are over, and the way to them. */
function Problem({ session }: { session: SessionDetail }) {
  const { group } = session;
  const resolvedAt = overSince(session);
  return (
    <>
      {group === null ? null : (
        <Link component={RouterLink} to={groupPath(group.id)} underline="hover" sx={problem}>
          {group.state === 'FIRING' ? (
            <>
              <SeverityChip severity={group.severity} />
              {countOf(group)}, {firing(group)}
            </>
          ) : (
            `${severityName(group.severity)}, ${countOf(group)}`
          )}
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

/** When its problem was over. One that was cancelled because of it has only what its group says. */
export const overSince = ({ resolvedAt, group }: SessionDetail): string | null =>
  resolvedAt ?? group?.resolvedAt ?? null;

const countOf = ({ alertCount }: NonNullable<SessionDetail['group']>): string =>
  alertCount === 1 ? '1 alert' : `${alertCount} alerts`;

const firing = ({ alertCount, firingCount }: NonNullable<SessionDetail['group']>): string =>
  firingCount === alertCount ? 'firing' : `${firingCount} firing`;

const problem = { display: 'inline-flex', alignItems: 'center', gap: 0.75, fontSize: '0.875rem' } as const;

/** A way to another page; a phone has room for its sign only. */
function Way({ to, label, Icon }: { to: string; label: string; Icon: typeof TraceIcon }) {
  return (
    <Button component={RouterLink} to={to} color="inherit" aria-label={label} sx={{ minWidth: 0, px: 1 }}>
      <Icon sx={{ fontSize: 18 }} />
      <Box component="span" sx={{ ml: 0.75, display: { xs: 'none', sm: 'inline' } }}>
        {label}
      </Box>
    </Button>
  );
}
