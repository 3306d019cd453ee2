import Box from '@mui/material/Box';
import { memo } from 'react';
import { IdleAgent } from './idle-agent.tsx';
import { AgentTabs } from './timeline-agents.tsx';
import { TimelineItem } from './timeline-item.tsx';
import type { TimelineRow as Row } from './timeline-rows.ts';
import { StageHeading } from './timeline-stage.tsx';

export interface RowActions {
  readonly toggleStage: (key: string) => void;
  readonly chooseAgent: (stageKey: string, agentKey: string) => void;
}

interface Props {
  readonly row: Row;
  /** True if a link or a search match points to this row. */
  readonly marked: boolean;
  readonly actions: RowActions;
}

/** One row of the timeline, inside its stage's frame. */
export const TimelineRow = memo(function TimelineRow(props: Props) {
  const { row, marked } = props;
  if (row.kind === 'stage') return <Content {...props} />;
  return (
    <Box sx={[frame, row.end && lastOfFrame, marked && markedRow]}>
      <Content {...props} />
    </Box>
  );
});

function Content({ row, actions }: Props) {
  switch (row.kind) {
    case 'stage':
      return <StageHeading group={row.group} open={row.open} end={row.end} toggle={actions.toggleStage} />;
    case 'agents':
      return <AgentTabs group={row.group} chosen={row.chosen} choose={actions.chooseAgent} />;
    case 'failure':
      return <Box sx={failure}>{row.text}</Box>;
    case 'idle':
      return <IdleAgent />;
    case 'item':
      return <TimelineItem item={row.item} repeated={row.repeated} grounding={row.grounding} />;
  }
}

const frame = {
  // Keeps the margins of a card inside the frame.
  display: 'flow-root',
  bgcolor: 'background.paper',
  borderLeft: '1px solid',
  borderRight: '1px solid',
  borderColor: 'divider',
} as const;
const lastOfFrame = {
  borderBottom: '1px solid',
  borderBottomColor: 'divider',
  borderRadius: '0 0 6px 6px',
  pb: 0.5,
} as const;
const markedRow = {
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
