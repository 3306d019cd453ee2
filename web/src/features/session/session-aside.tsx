import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { memo, type ReactNode } from 'react';
import { CodeBlock } from '../../components/code-block.tsx';
import { Ago } from '../../components/time.tsx';
import { formatCount } from '../../lib/format.ts';
import type { SessionDetail } from './session-header.tsx';
import { StageOutline } from './stage-outline.tsx';
import type { TimelineState } from './timeline-reducer.ts';
import { useAlertText } from './use-alert-text.ts';

/** The alert, the facts and the stages: beside the timeline where there is room, above it otherwise. */
export const SessionAside = memo(function SessionAside({
  session,
  stages,
}: {
  session: SessionDetail;
  stages: TimelineState['stages'];
}) {
  const alert = useAlertText(session.alertData);
  return (
    <Box sx={panels}>
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
  );
});

function Facts({ session }: { session: SessionDetail }) {
  const { inputTokens, outputTokens, thinkingTokens, totalTokens } = session.tokenUsage;
  return (
    <Box component="dl" sx={list}>
      <Fact name="Type">{session.alertType}</Fact>
      <Fact name="Chain">{session.chainId}</Fact>
      <Fact name="Author">{session.author}</Fact>
      <Fact name="Submitted">
        <Ago time={session.createdAt} />
      </Fact>
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
      {url} ↗
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

const panels = {
  display: 'grid',
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
