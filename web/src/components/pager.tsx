import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { FIRST_PAGE, isFirstPage, type ListPage, PAGE_SIZES } from '../lib/list-page.ts';
import { ChoiceField } from './choice-field.tsx';
import { ChevronIcon } from './icons.tsx';

const SIZES = PAGE_SIZES.map((size) => ({ value: `${size}`, name: `${size}` }));

interface Props {
  /** Names it, such as `Pages of the history`. */
  readonly label: string;
  readonly page: {
    readonly totalCount: number;
    readonly pageInfo: {
      readonly hasNextPage: boolean;
      readonly hasPreviousPage: boolean;
      readonly startCursor: string | null;
      readonly endCursor: string | null;
    };
  };
  readonly view: ListPage;
  readonly change: (page: Partial<ListPage>) => void;
  /** Id of the element that begins the list: a new page is read from its top. */
  readonly top: string;
}

/** The ways to the pages around this one. Nothing that comes in meanwhile shifts what they show. */
export function Pager({ label, page, view, change, top }: Props) {
  const { hasNextPage, hasPreviousPage, startCursor, endCursor } = page.pageInfo;
  const isFirst = isFirstPage(view);
  if (!hasNextPage && !hasPreviousPage && isFirst && page.totalCount <= PAGE_SIZES[0]!) return null;
  const go = (place: Partial<ListPage>): void => {
    change({ ...FIRST_PAGE, ...place });
    document.getElementById(top)?.scrollIntoView({ block: 'start' });
  };
  return (
    <Box component="nav" aria-label={label} sx={row}>
      <ChoiceField
        label="Per page"
        choices={SIZES}
        chosen={[`${view.size}`]}
        change={([size]) => change({ ...FIRST_PAGE, size: Number(size) })}
        width={96}
      />
      <Box sx={{ flex: 1 }} />
      {isFirst ? null : <Button onClick={() => go({})}>First</Button>}
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
