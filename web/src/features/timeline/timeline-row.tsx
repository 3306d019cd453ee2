import Box from '@mui/material/Box';
import { memo } from 'react';
import { SystemWarningsDocument } from '../../graphql/gen/documents.ts';
import { useQuery } from '../../graphql/use-query.ts';
import { AgentTabs } from './timeline-agents.tsx';
import { TimelineItem } from './timeline-item.tsx';
import type { TimelineRow as Row } from './timeline-rows.ts';
import { StageHeading } from './timeline-stage.tsx';

export interface RowActions {
  readonly toggleStage: (key: string) => void;
  readonly selectAgent: (stageKey: string, agentKey: string) => void;
}

interface Props {
  readonly row: Row;
  /** True if a link or a search match points to this row. */
  readonly highlighted: boolean;
  readonly actions: RowActions;
}

/** One row of the timeline, inside its stage's frame. */
export const TimelineRow = memo(function TimelineRow(props: Props) {
  const { row, highlighted } = props;
  if (row.kind === 'stage') return <Content {...props} />;
  return (
    <Box sx={[frame, row.isLast && lastInFrame, highlighted && highlightedRow]}>
      <Content {...props} />
    </Box>
  );
});

function Content({ row, actions }: Props) {
  switch (row.kind) {
    case 'stage':
      return (
        <StageHeading group={row.group} open={row.open} isLast={row.isLast} onToggle={actions.toggleStage} />
      );
    case 'agents':
      return <AgentTabs group={row.group} selected={row.selected} onSelect={actions.selectAgent} />;
    case 'failure':
      return <Box sx={failure}>{row.text}</Box>;
    case 'idle':
      return <IdleAgent />;
    case 'item':
      return <TimelineItem item={row.item} repeated={row.repeated} grounding={row.grounding} />;
  }
}

/** Shows what an agent does before its first item arrives. */
function IdleAgent() {
  // Reads only the cache, because the app shell keeps the warnings current.
  const [{ data }] = useQuery({ query: SystemWarningsDocument, requestPolicy: 'cache-only' });
  const isAway = data?.systemWarnings.some(({ category }) => category === 'llm_service');
  return (
    <Box sx={{ px: 1.5, py: 1, fontSize: '0.8125rem', color: isAway ? 'status.late' : 'text.secondary' }}>
      {isAway
        ? 'Waiting for the model. The LLM service is not responding.'
        : 'No entry yet: the agent connects to its tools, then waits for the model.'}
    </Box>
  );
}

const frame = {
  // `flow-root` keeps the margins of a card inside the frame.
  display: 'flow-root',
  bgcolor: 'background.paper',
  borderLeft: '1px solid',
  borderRight: '1px solid',
  borderColor: 'divider',
} as const;
const lastInFrame = {
  borderBottom: '1px solid',
  borderBottomColor: 'divider',
  borderRadius: '0 0 6px 6px',
  pb: 0.5,
} as const;
const highlightedRow = {
  boxShadow: 'inset 3px 0 0 var(--mui-palette-primary-main)',
  bgcolor: 'color-mix(in srgb, var(--mui-palette-primary-main) 7%, var(--mui-palette-background-paper))',
} as const;
const failure = {
  px: 1.5,
  py: 1,
  fontSize: '0.8125rem',
  color: 'status.failed',
  overflowWrap: 'anywhere',
} as const;
