import Box from '@mui/material/Box';
import { formatDuration } from '../../lib/format.ts';
import { TimeAxis } from './time-axis.tsx';
import { isAfterInvestigation, type Span, stageSpan, type TraceStage } from './trace-model.ts';
import { WaterfallBar } from './waterfall.tsx';

/** Shows when each stage of the investigation ran, on one time scale, with links to the stages. */
export function StageOverview(props: { stages: readonly TraceStage[]; whole: Span; now: number }) {
  const { stages, whole, now } = props;
  const rows = stages.flatMap((traced) => {
    const span = isAfterInvestigation(traced.stage) ? null : stageSpan(traced, now);
    return span === null ? [] : [{ ...traced.stage, span }];
  });
  if (rows.length < 2) return null;
  return (
    <Box component="nav" aria-label="Stages" sx={{ mt: 1.5 }}>
      <Box sx={line}>
        <span />
        <TimeAxis span={whole} origin={whole.start} />
        <span />
      </Box>
      {rows.map(({ id, index, name, status, span }) => (
        <Box key={id} component="a" href={`#stage-${index}`} sx={[line, link]}>
          <Box component="span" sx={clipped}>
            {index} {name}
          </Box>
          <WaterfallBar
            span={span}
            whole={whole}
            origin={whole.start}
            kind={status === 'FAILED' || status === 'TIMED_OUT' ? 'failed' : 'stage'}
          />
          <Box component="span" sx={{ textAlign: 'right', whiteSpace: 'nowrap' }}>
            {formatDuration(span.end - span.start)}
          </Box>
        </Box>
      ))}
    </Box>
  );
}

const line = {
  display: 'grid',
  alignItems: 'center',
  columnGap: 1.5,
  minHeight: 24,
  gridTemplateColumns: { xs: '96px minmax(0, 1fr) 64px', md: '200px minmax(0, 1fr) 72px' },
  fontSize: '0.8125rem',
  color: 'text.secondary',
} as const;
const link = { textDecoration: 'none', '&:hover': { color: 'text.primary' } } as const;
const clipped = { minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' } as const;
