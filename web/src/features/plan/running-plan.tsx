import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import type { StageGroup } from '../timeline/timeline-groups.ts';
import type { TimelineState } from '../timeline/timeline-reducer.ts';
import { AgentsNow } from './agents-now.tsx';
import { PlanRail } from './plan-rail.tsx';

interface Props {
  readonly session: { readonly id: string; readonly chainId: string };
  readonly state: Pick<TimelineState, 'stages' | 'executions'>;
  readonly groups: readonly StageGroup[];
}

/** Shows the plan of an investigation that has not ended, and what its agents do now. */
export function RunningPlan({ session, state: { stages, executions }, groups }: Props) {
  const active = groups.find(({ stage }) => stage?.status === 'ACTIVE');
  return (
    <Paper component="section" aria-label="Plan" sx={{ p: 1.5, mb: 1.5 }}>
      <PlanRail session={session} stages={stages} executions={executions} ended={false} />
      {/* Keeps a row free between two stages, so that the timeline below does not jump. */}
      <Box sx={{ display: 'flow-root', minHeight: groups.length > 0 ? 32 : 0 }}>
        {active === undefined ? null : <AgentsNow group={active} />}
      </Box>
    </Paper>
  );
}
