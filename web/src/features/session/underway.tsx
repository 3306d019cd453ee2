import Box from '@mui/material/Box';
import { useMemo } from 'react';
import type { TimelineState } from '../timeline/timeline-reducer.ts';
import { toolCallFacts } from '../timeline/tool-call.ts';
import { callsOf } from './health-strip.tsx';

/** Stands in for the verdict while the investigation runs: shows the tool calls so far. */
export function Underway({ items }: { items: TimelineState['items'] }) {
  const calls = useMemo(() => {
    const ended = [...items.values()].filter(
      ({ type, status }) => type === 'LLM_TOOL_CALL' && status !== 'STREAMING',
    );
    const failed = ended.filter(
      ({ status, metadata }) => status !== 'COMPLETED' || toolCallFacts(metadata).isError,
    );
    return { toolCalls: ended.length, failedToolCalls: failed.length };
  }, [items]);
  return (
    <Box role="note" aria-label="What it has come to" sx={{ mb: 1.5, fontSize: '0.875rem' }}>
      <Box component="span" sx={{ fontWeight: 600 }}>
        No verdict yet.
      </Box>{' '}
      <Box component="span" sx={{ color: 'text.secondary' }}>
        {calls.toolCalls === 0 ? 'No tool has answered so far.' : `So far: ${callsOf(calls)}.`}
      </Box>
    </Box>
  );
}
