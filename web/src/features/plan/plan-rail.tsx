import Box from '@mui/material/Box';
import { useCallback, useEffect, useMemo } from 'react';
import { CostText } from '../../components/cost-text.tsx';
import { StatusChip } from '../../components/status-chip.tsx';
import { Duration } from '../../components/time.tsx';
import type { SessionPlanQuery } from '../../graphql/gen/documents.ts';
import { SessionPlanDocument } from '../../graphql/gen/lazy-documents.ts';
import { useQuery } from '../../graphql/use-query.ts';
import { usePolling } from '../../lib/use-polling.ts';
import { statusLook } from '../../theme.ts';
import type { TimelineState } from '../timeline/timeline-reducer.ts';
import { type PlanStep, planSteps } from './plan-steps.ts';

// Interval (ms) of reading the costs of the stages, which change without an event.
const COSTS_EVERY_MS = 5_000;

interface Props {
  readonly session: { readonly id: string; readonly chainId: string };
  readonly stages: TimelineState['stages'];
  readonly executions: TimelineState['executions'];
  /** True once no stage is to come. */
  readonly ended: boolean;
}

/** The stages of an investigation in order, those to come included, with their agents, times and costs so far. */
export function PlanRail({ session, stages, executions, ended }: Props) {
  const data = usePlan(session.id, stages, ended);
  const planned = useMemo(
    () => data?.alertTypes.find(({ chainId }) => chainId === session.chainId)?.stages ?? [],
    [data, session.chainId],
  );
  const steps = planSteps({ stages, executions }, ended ? [] : planned);
  if (steps.length === 0) return null;
  const costs = new Map(data?.session?.stages.map(({ id, cost }) => [id, cost]));
  return (
    <Box component="ol" aria-label="Stages" sx={rail}>
      {steps.map((step) => (
        <Step key={step.index} step={step} cost={costs.get(step.stage?.id ?? '')} />
      ))}
    </Box>
  );
}

function usePlan(id: string, stages: Props['stages'], ended: boolean): SessionPlanQuery | undefined {
  const [{ data }, execute] = useQuery({
    query: SessionPlanDocument,
    variables: { id },
    requestPolicy: 'cache-and-network',
  });
  const refetch = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the stages is the reason to query again
  useEffect(refetch, [stages, refetch]);
  usePolling(
    useCallback(() => {
      if (!ended) refetch();
    }, [ended, refetch]),
    COSTS_EVERY_MS,
  );
  return data;
}

type StageCost = NonNullable<SessionPlanQuery['session']>['stages'][number]['cost'];

function Step({
  step: { index, name, agents, stage },
  cost,
}: {
  step: PlanStep;
  cost: StageCost | undefined;
}) {
  const title = `${index}. ${name}`;
  const tone = stage === null ? null : statusLook[stage.status].tone;
  return (
    <Box
      component="li"
      aria-current={stage?.status === 'ACTIVE' ? 'step' : undefined}
      sx={[box, { borderTopColor: tone === null ? 'divider' : `status.${tone}` }]}
    >
      <Box sx={{ fontWeight: 600 }}>
        {stage === null ? (
          <Box component="span" sx={{ color: 'text.secondary' }}>
            {title}
          </Box>
        ) : (
          <Box
            component="a"
            href={`#stage-${index}`}
            sx={{ display: 'inline-block', minWidth: 24, lineHeight: '24px', color: 'text.primary' }}
          >
            {title}
          </Box>
        )}
      </Box>
      <Box sx={{ color: 'text.secondary' }}>{agents.join(', ')}</Box>
      <Box sx={state}>
        {stage === null ? 'To come' : <StatusChip status={stage.status} />}
        {stage === null || stage.startedAt === null ? null : (
          <Duration start={stage.startedAt} end={stage.completedAt} />
        )}
        {cost?.usd == null || stage === null ? null : <CostText cost={cost} />}
      </Box>
    </Box>
  );
}

const rail = {
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(min(160px, 100%), 1fr))',
  gap: 1,
  m: 0,
  p: 0,
  listStyle: 'none',
  fontSize: '0.8125rem',
} as const;
const box = { minWidth: 0, pt: 0.5, borderTop: '3px solid', overflowWrap: 'anywhere' } as const;
const state = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  columnGap: 1,
  mt: 0.25,
  color: 'text.secondary',
} as const;
