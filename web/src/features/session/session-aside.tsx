import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { memo, type ReactNode, useId, useState } from 'react';
import { Link as RouterLink } from 'react-router';
import { CodeBlock } from '../../components/code-block.tsx';
import { ChevronIcon } from '../../components/icons.tsx';
import { Ago } from '../../components/time.tsx';
import { formatCount } from '../../lib/format.ts';
import { groupPath } from '../../lib/paths.ts';
import { overSince, type SessionDetail } from './session-header.tsx';
import { StageOutline } from './stage-outline.tsx';
import type { TimelineState } from './timeline-reducer.ts';
import { useAlertText } from './use-alert-text.ts';

/** The alert, the facts and the stages: beside the timeline where there is room, else above it, on demand. */
export const SessionAside = memo(function SessionAside({
  session,
  stages,
}: {
  session: SessionDetail;
  stages: TimelineState['stages'];
}) {
  const alert = useAlertText(session.alertData);
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <Box
        component="button"
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
        sx={opener}
      >
        <ChevronIcon sx={[chevron, open && { transform: 'rotate(90deg)' }]} />
        <Box component="span" sx={{ fontWeight: 650, flex: 'none' }}>
          Alert and details
        </Box>
        <Box component="span" sx={gist}>
          {session.alertType} · {session.author}
        </Box>
      </Box>
      <Box id={id} sx={[panels, { display: { xs: open ? 'grid' : 'none', lg: 'grid' } }]}>
        <Panel title="Alert" wide>
          <CodeBlock label="Alert" text={alert} maxHeight={260} />
        </Panel>
        <Panel title="Details">
          <Facts session={session} />
        </Panel>
        {stages.size > 0 ? (
          <Panel title="Stages">
            <StageOutline stages={stages} />
          </Panel>
        ) : null}
      </Box>
    </>
  );
});

function Facts({ session }: { session: SessionDetail }) {
  const { inputTokens, outputTokens, thinkingTokens, totalTokens } = session.tokenUsage;
  const resolvedAt = overSince(session);
  return (
    <Box component="dl" sx={list}>
      <Fact name="Type">{session.alertType}</Fact>
      <Fact name="Chain">{session.chainId}</Fact>
      <Fact name="Author">{session.author}</Fact>
      <Fact name="Submitted">
        <Ago time={session.createdAt} />
      </Fact>
      {session.group === null ? null : (
        <Fact name="Alerts">
          <Link component={RouterLink} to={groupPath(session.group.id)}>
            {session.group.title}
          </Link>
          {session.group.flapping ? ', flapping' : ''}
        </Fact>
      )}
      {resolvedAt === null ? null : (
        <Fact name="Problem">
          resolved <Ago time={resolvedAt} />
        </Fact>
      )}
      {session.runbookUrl === null ? null : (
        <Fact name="Runbook">
          <Runbook url={session.runbookUrl} />
        </Fact>
      )}
      <Fact name="Tokens">
        <span title={`${inputTokens} in, ${outputTokens} out, ${thinkingTokens} thinking`}>
          {formatCount(totalTokens)} ({formatCount(inputTokens)} in, {formatCount(outputTokens)} out)
        </span>
      </Fact>
    </Box>
  );
}

/** The URL is what somebody submitted: a link only when it is one to the web. */
function Runbook({ url }: { url: string }) {
  if (!/^https?:\/\//i.test(url)) return url;
  return (
    <Box
      component="a"
      href={url}
      target="_blank"
      rel="noopener noreferrer nofollow"
      sx={{ color: 'primary.main' }}
    >
      {url}&nbsp;↗
    </Box>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <Box component="dt" sx={{ color: 'text.secondary' }}>
        {name}
      </Box>
      <Box component="dd" sx={{ m: 0, minWidth: 0, overflowWrap: 'anywhere' }}>
        {children}
      </Box>
    </>
  );
}

function Panel({ title, wide = false, children }: { title: string; wide?: boolean; children: ReactNode }) {
  return (
    <Paper component="section" aria-label={title} sx={{ p: 1.5, gridColumn: wide ? '1 / -1' : 'auto' }}>
      <Typography variant="h2" sx={{ mb: 1 }}>
        {title}
      </Typography>
      {children}
    </Paper>
  );
}

const opener = {
  display: { xs: 'flex', lg: 'none' },
  alignItems: 'center',
  gap: 0.75,
  width: '100%',
  minHeight: 40,
  px: 1.5,
  font: 'inherit',
  fontSize: '0.875rem',
  color: 'inherit',
  textAlign: 'left',
  bgcolor: 'background.paper',
  border: '1px solid',
  borderColor: 'divider',
  borderRadius: 1,
  cursor: 'pointer',
} as const;
const chevron = { fontSize: 16, color: 'text.secondary', flex: 'none' } as const;
const gist = {
  minWidth: 0,
  ml: 1,
  fontSize: '0.8125rem',
  color: 'text.secondary',
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap',
} as const;

const panels = {
  mt: { xs: 1, lg: 0 },
  gap: 2,
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: 'repeat(2, minmax(0, 1fr))', lg: 'minmax(0, 1fr)' },
} as const;

const list = {
  m: 0,
  display: 'grid',
  gridTemplateColumns: 'auto minmax(0, 1fr)',
  columnGap: 2,
  rowGap: 0.5,
  fontSize: '0.8125rem',
} as const;
