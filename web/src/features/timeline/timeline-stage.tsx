import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { CopyButton } from '../../components/copy-button.tsx';
import { FallbackBadge } from '../../components/fallback-badge.tsx';
import { ChevronIcon, LinkIcon } from '../../components/icons.tsx';
import { StatusChip } from '../../components/status-chip.tsx';
import { Duration } from '../../components/time.tsx';
import type { TimelineExecutionFragment } from '../../graphql/gen/documents.ts';
import { pageUrl } from './page-link.ts';
import type { StageGroup } from './timeline-groups.ts';

interface Props {
  readonly group: StageGroup;
  readonly open: boolean;
  readonly isLast: boolean;
  readonly onToggle: (key: string) => void;
}

/** The heading of a stage with its status and duration; collapses and expands the stage. */
export function StageHeading({ group, open, isLast, onToggle }: Props) {
  const { stage, executions } = group;
  const agents = executions.flatMap(({ execution }) => execution ?? []);
  return (
    <Box id={stage === null ? undefined : `stage-${stage.index}`} sx={outer}>
      <Box sx={[heading, isLast && collapsedHeading]}>
        <Typography variant="h2" sx={{ gridArea: 'name', minWidth: 0, fontSize: '0.9rem' }}>
          <Box
            component="button"
            type="button"
            aria-expanded={open}
            onClick={() => onToggle(group.key)}
            sx={toggleButton}
          >
            <ChevronIcon sx={[chevron, open && { transform: 'rotate(90deg)' }]} />
            {stage === null ? null : <Box sx={{ color: 'text.secondary', flex: 'none' }}>{stage.index}</Box>}
            <Box sx={name}>{stageName(group)}</Box>
          </Box>
        </Typography>
        {stage === null ? null : <StatusChip status={stage.status} />}
        {agents.length === 1 ? (
          <Box sx={agentArea}>
            <AgentLine execution={agents[0]!} />
          </Box>
        ) : null}
        {stage === null ? null : (
          <>
            <Box sx={time}>
              <Duration start={stage.startedAt} end={stage.completedAt} />
            </Box>
            <CopyButton
              label={`Copy link to stage ${stage.index}`}
              icon={<LinkIcon sx={{ fontSize: 16 }} />}
              text={() => pageUrl(`#stage-${stage.index}`)}
            />
          </>
        )}
      </Box>
    </Box>
  );
}

/** Returns a group's heading; items without a stage, such as the executive summary, get `Summary`. */
export function stageName({ stage }: StageGroup): string {
  return stage?.name ?? 'Summary';
}

/** Shows an agent and its model on one line, truncated if necessary; the badge of a fallback provider stays visible. */
export function AgentLine({ execution }: { execution: TimelineExecutionFragment }) {
  const model = [execution.llmProvider, execution.modelName].filter(Boolean).join(' · ');
  return (
    <Box sx={agentLine} title={model}>
      <Box component="span" sx={clipped}>
        {execution.agentName}
        {model === '' ? '' : ` · ${model}`}
      </Box>
      <FallbackBadge original={execution.originalLlmProvider} />
    </Box>
  );
}

const outer = { pt: 1.5 } as const;
// On a phone, agent and duration have a line of their own, so that a growing duration never wraps the line.
const heading = {
  display: { xs: 'grid', sm: 'flex' },
  gridTemplateColumns: 'minmax(0, 1fr) auto auto',
  gridTemplateAreas: '"name . ." "agent time time"',
  alignItems: 'center',
  columnGap: 1.25,
  rowGap: 0.25,
  minHeight: 44,
  px: 1,
  py: 0.5,
  bgcolor: 'background.paper',
  border: '1px solid',
  borderColor: 'divider',
  borderRadius: '6px 6px 0 0',
} as const;
const collapsedHeading = { borderRadius: 1.5 } as const;
const toggleButton = {
  display: 'flex',
  alignItems: 'center',
  gap: 0.75,
  minWidth: 0,
  maxWidth: '100%',
  minHeight: 28,
  p: 0,
  pr: 0.5,
  border: 0,
  borderRadius: 1,
  font: 'inherit',
  color: 'inherit',
  textAlign: 'left',
  background: 'none',
  cursor: 'pointer',
} as const;
const agentArea = { gridArea: 'agent', minWidth: 0, pl: { xs: 3, sm: 0 } } as const;
const chevron = { fontSize: 16, color: 'text.secondary', flex: 'none' } as const;
const name = { minWidth: 0, overflowWrap: 'anywhere' } as const;
const time = {
  gridArea: 'time',
  ml: 'auto',
  pr: { xs: 1, sm: 0 },
  fontSize: '0.8125rem',
  color: 'text.secondary',
} as const;
const agentLine = {
  display: 'flex',
  flexWrap: { xs: 'wrap', sm: 'nowrap' },
  alignItems: 'baseline',
  fontSize: '0.8125rem',
  color: 'text.secondary',
  minWidth: 0,
  whiteSpace: 'nowrap',
} as const;
const clipped = { minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis' } as const;
