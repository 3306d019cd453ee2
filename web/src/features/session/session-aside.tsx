import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { memo, type ReactNode, useId, useState } from 'react';
import { CostText } from '../../components/cost-text.tsx';
import { ChevronIcon } from '../../components/icons.tsx';
import { Ago } from '../../components/time.tsx';
import { formatCount } from '../../lib/format.ts';
import { isFinished } from '../../lib/status.ts';
import { SimilarSessions } from '../memory/similar-sessions.tsx';
import { PlanRail } from '../plan/plan-rail.tsx';
import { choiceOf, NATIVE_TOOLS, type NativeTool } from '../submit/mcp-choice.ts';
import type { TimelineState } from '../timeline/timeline-reducer.ts';
import { AlertCard } from './alert-card.tsx';
import { Fact, FactList } from './facts.tsx';
import type { SessionDetail } from './session-detail.ts';

/**
 * Shows the alert, the inputs and the stages: beside the timeline on wide screens, otherwise above it and collapsed.
 */
export const SessionAside = memo(function SessionAside({
  session,
  stages,
  executions,
}: {
  session: SessionDetail;
  stages: TimelineState['stages'];
  executions: TimelineState['executions'];
}) {
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
        <Box component="span" sx={preview}>
          {session.alertType} · {session.author}
        </Box>
      </Box>
      <Box id={id} sx={[panels, { display: { xs: open ? 'grid' : 'none', lg: 'grid' } }]}>
        <Panel title="Alert" wide>
          <AlertCard session={session} />
        </Panel>
        <Panel title="Input and usage">
          <Inputs session={session} executions={executions} />
        </Panel>
        <SimilarSessions sessionId={session.id} />
        {stages.size > 0 && isFinished(session.status) ? (
          <Panel title="Stages">
            <PlanRail session={session} stages={stages} executions={executions} ended />
          </Panel>
        ) : null}
      </Box>
    </>
  );
});

/** Shows the session's inputs, such as its chain and runbook, and its models, cost and tokens. */
function Inputs({
  session,
  executions,
}: {
  session: SessionDetail;
  executions: TimelineState['executions'];
}) {
  const { inputTokens, outputTokens, thinkingTokens, totalTokens } = session.tokenUsage;
  const models = new Set(
    [...executions.values()].map(({ llmProvider, modelName }) =>
      [llmProvider, modelName].filter(Boolean).join(' · '),
    ),
  );
  models.delete('');
  return (
    <FactList>
      <Fact name="Alert type">{session.alertType}</Fact>
      <Fact name="Chain">{session.chainId}</Fact>
      <Fact name="Author">{session.author}</Fact>
      {session.team === null ? null : <Fact name="Team">{session.team}</Fact>}
      <Fact name="Submitted">
        <Ago time={session.createdAt} />
      </Fact>
      <Fact name="Runbook">
        {session.runbookUrl === null ? 'Chain default' : <Runbook url={session.runbookUrl} />}
      </Fact>
      <Fact name="Tools">
        {session.mcpSelection === null ? 'Agent default' : <SelectedTools value={session.mcpSelection} />}
      </Fact>
      {models.size === 0 ? null : (
        <Fact name={models.size === 1 ? 'Model' : 'Models'}>
          {[...models].map((model) => (
            <div key={model}>{model}</div>
          ))}
        </Fact>
      )}
      <Fact name="Cost">
        <CostText cost={session.cost} />
      </Fact>
      <Fact name="Tokens">
        <span title={`${inputTokens} in, ${outputTokens} out, ${thinkingTokens} thinking`}>
          {formatCount(totalTokens)} ({formatCount(inputTokens)} in, {formatCount(outputTokens)} out)
        </span>
      </Fact>
    </FactList>
  );
}

/** Lists the servers and tools that the submitter selected in place of the agents' own. */
function SelectedTools({ value }: { value: unknown }) {
  const { servers, native } = choiceOf(value);
  const own = Object.entries(native).map(
    ([name, on]) => `${NATIVE_TOOLS[name as NativeTool]}: ${on ? 'on' : 'off'}`,
  );
  const chosen = Object.entries(servers ?? {}).map(([name, tools]) =>
    tools === 'all' ? name : `${name}: ${tools.join(', ')}`,
  );
  return [...chosen, ...own].map((line) => <div key={line}>{line}</div>);
}

/** Shows the URL of the submitted runbook; only http(s) URLs become links. */
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
const preview = {
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
