import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import { dividedList } from '../../components/divided-list.ts';
import { Loading } from '../../components/loading.tsx';
import { Ago } from '../../components/time.tsx';
import { useWaitingWork } from '../../components/use-system-state.ts';
import { countText, standstills, WAITS_FOR } from '../../components/waits.ts';

/** Lists why sessions and alert groups wait, unexpected causes first. */
export function WaitingList() {
  const waiting = useWaitingWork();
  if (waiting === undefined) return <Loading label="Loading" height={21} />;
  if (waiting.length === 0)
    return <Box sx={{ fontSize: '0.875rem', color: 'text.secondary' }}>Nothing waiting</Box>;
  const urgent = new Set(standstills(waiting));
  return (
    <Paper component="ul" sx={dividedList}>
      {[...urgent, ...waiting.filter((work) => !urgent.has(work))].map((work) => (
        <Box key={`${work.reason} ${work.message}`} component="li" sx={item}>
          <Box sx={{ fontWeight: 600, ...(urgent.has(work) && { color: 'status.late' }) }}>
            {countText(work)} waiting for {WAITS_FOR[work.reason]}
          </Box>
          <Box>{work.message}</Box>
          <Box sx={{ color: 'text.secondary' }}>
            Started <Ago time={work.since} />
          </Box>
        </Box>
      ))}
    </Paper>
  );
}

const item = { px: 1.5, py: 1, fontSize: '0.875rem', overflowWrap: 'anywhere' } as const;
