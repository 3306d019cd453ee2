import Box from '@mui/material/Box';
import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';
import { hintReaders, hintText } from './hint-readers.ts';
import { useTimelineStructure } from './timeline-store.ts';

/** A responder's hint with its author and the agents that have read it, updated live. */
export function HintItem({ item, text }: { item: TimelineItemFragment; text: string }) {
  const { author, agent } = hintText(item);
  const readers = hintReaders(useTimelineStructure(), item);
  return (
    <>
      <Box sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{text}</Box>
      <Box sx={{ mt: 0.25, fontSize: '0.75rem', color: 'text.secondary', overflowWrap: 'anywhere' }}>
        {author}
        {agent === null ? '' : ` for ${agent}`} ·{' '}
        {readers.length === 0 ? 'Not read yet' : `Delivered to ${readers.join(', ')}`}
      </Box>
    </>
  );
}
