import Box from '@mui/material/Box';
import { TimeLeft } from '../../components/time.tsx';
import type { AlertGroupRowFragment } from '../../graphql/gen/documents.ts';

/** Shows that a group is silenced, and for how long; renders nothing if the group is not silenced. */
export function SilencedMark({ silence }: Pick<AlertGroupRowFragment, 'silence'>) {
  if (silence === null) return null;
  return (
    <Box
      title={`By ${silence.createdBy}: ${silence.comment}`}
      sx={{ color: 'status.stopped', fontWeight: 600 }}
    >
      Silenced, <TimeLeft until={silence.endsAt} /> left
    </Box>
  );
}
