import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { ChevronIcon } from '../../components/icons.tsx';
import type { SessionHistoryQuery } from '../../graphql/gen/documents.ts';
import { PAGE_SIZES } from './list-view.ts';
import type { ListViewState } from './use-list-view.ts';

/** The ways to the pages around this one. Nothing that comes in meanwhile shifts what they show. */
export function Pager({ page, list }: { page: SessionHistoryQuery['sessions']; list: ListViewState }) {
  const { hasNextPage, hasPreviousPage, startCursor, endCursor } = page.pageInfo;
  const { view, change } = list;
  const isFirst = view.after === null && view.before === null;
  if (!hasNextPage && !hasPreviousPage && isFirst && page.totalCount <= PAGE_SIZES[0]!) return null;
  const go = (place: { after: string | null } | { before: string | null }): void => {
    change(place);
    document.getElementById('section-history')?.scrollIntoView({ block: 'start' });
  };
  return (
    <Box component="nav" aria-label="Pages of the history" sx={row}>
      <TextField
        select
        label="Per page"
        value={view.size}
        onChange={(event) => change({ size: Number(event.target.value) })}
        sx={{ width: 96, mr: 'auto' }}
      >
        {PAGE_SIZES.map((size) => (
          <MenuItem dense key={size} value={size}>
            {size}
          </MenuItem>
        ))}
      </TextField>
      {isFirst ? null : <Button onClick={() => go({ after: null })}>First</Button>}
      <Button
        variant="outlined"
        startIcon={<ChevronIcon sx={{ transform: 'rotate(180deg)' }} />}
        disabled={!hasPreviousPage}
        onClick={() => go({ before: startCursor })}
      >
        Previous
      </Button>
      <Button
        variant="outlined"
        endIcon={<ChevronIcon />}
        disabled={!hasNextPage}
        onClick={() => go({ after: endCursor })}
      >
        Next
      </Button>
    </Box>
  );
}

const row = { display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, mt: 1.5 } as const;
