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
  /** The page is not yet that of the view: the ways around it would lead from another place than the view tells. */
  readonly stale: boolean;
  /** Id of the element that begins the list: a new page is read from its top. */
  readonly top: string;
}

/** The ways to the pages around this one. Nothing that comes in meanwhile shifts what they show. */
export function Pager({ label, page, view, change, stale, top }: Props) {
  const { hasNextPage, hasPreviousPage, startCursor, endCursor } = page.pageInfo;
  const isFirst = isFirstPage(view);
  if (!hasNextPage && !hasPreviousPage && isFirst && page.totalCount <= PAGE_SIZES[0]!) return null;
  const go = (place: Partial<ListPage>): void => {
    if (stale) return;
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
      <Box sx={{ flex: 1, fontSize: '0.8125rem', color: 'text.secondary' }}>{placeIn(view, page)}</Box>
      {isFirst ? null : (
        <Button aria-disabled={stale} onClick={() => go({})}>
          First
        </Button>
      )}
      <Button
        variant="outlined"
        aria-disabled={stale}
        startIcon={<ChevronIcon sx={{ transform: 'rotate(180deg)' }} />}
        disabled={!hasPreviousPage}
        onClick={() => go({ before: startCursor, at: Math.max(0, view.at - view.size) })}
      >
        Previous
      </Button>
      <Button
        variant="outlined"
        aria-disabled={stale}
        endIcon={<ChevronIcon />}
        disabled={!hasNextPage}
        onClick={() => go({ after: endCursor, at: view.at + view.size })}
      >
        Next
      </Button>
    </Box>
  );
}

/** Which of how many. Who came by a link without the count of rows before it is told the whole alone. */
function placeIn(view: ListPage, { totalCount, pageInfo }: Props['page']): string {
  const total = totalCount.toLocaleString('en');
  if (view.at === 0 && pageInfo.hasPreviousPage) return `of ${total}`;
  const last = Math.min(totalCount, view.at + view.size);
  return `${(view.at + 1).toLocaleString('en')} to ${last.toLocaleString('en')} of ${total}`;
}

const row = { display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, mt: 1.5 } as const;
