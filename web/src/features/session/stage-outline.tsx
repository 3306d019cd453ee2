import Box from '@mui/material/Box';
import { memo } from 'react';
import { StatusChip } from '../../components/status-chip.tsx';
import type { TimelineState } from '../timeline/timeline-reducer.ts';

/** Links to the investigation's stages, each with its status. */
export const StageOutline = memo(function StageOutline({ stages }: { stages: TimelineState['stages'] }) {
  const ordered = [...stages.values()]
    .filter(({ type }) => type !== 'CHAT')
    .sort((a, b) => a.index - b.index);
  return (
    <Box component="ol" sx={{ m: 0, p: 0, listStyle: 'none', display: 'grid', gap: 0.75 }}>
      {ordered.map((stage) => (
        <Box
          key={stage.id}
          component="li"
          sx={{ display: 'flex', alignItems: 'center', gap: 1, fontSize: '0.8125rem' }}
        >
          <Box
            component="a"
            href={`#stage-${stage.index}`}
            sx={{ flex: 1, minWidth: 0, color: 'text.primary' }}
          >
            {stage.index}. {stage.name}
          </Box>
          <StatusChip status={stage.status} />
        </Box>
      ))}
    </Box>
  );
});
