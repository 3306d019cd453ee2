import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { FIRST_PAGE, isFirstPage, type ListPage, PAGE_SIZES } from '../lib/list-page.ts';
import { ChoiceField } from './choice-field.tsx';
import { ChevronIcon } from './icons.tsx';

const SIZES = PAGE_SIZES.map((size) => ({ value: `${size}`, name: `${size}` }));

interface Props {
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
  /** True while the rows of the previous view are shown. Their cursors do not fit the new view. */
  readonly stale: boolean;
  /** Id of the element to scroll to when the page changes. */
  readonly top: string;
}

/** Buttons for the neighbouring pages. Pages are addressed by cursors, so that new rows do not shift them. */
export function Pager({ label, page, view, change, stale, top }: Props) {
  const { hasNextPage, hasPreviousPage, startCursor, endCursor } = page.pageInfo;
  const isFirst = isFirstPage(view);
  if (!hasNextPage && !hasPreviousPage && isFirst && page.totalCount <= PAGE_SIZES[0]!) return null;
  const go = (position: Partial<ListPage>): void => {
    if (stale) return;
    change({ ...FIRST_PAGE, ...position });
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
      <Box sx={{ flex: 1, fontSize: '0.8125rem', color: 'text.secondary' }}>{rangeText(view, page)}</Box>
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

/** Returns the range of the shown rows: `26 to 50 of 90`. Without `at` in the address, only the total is known. */
function rangeText(view: ListPage, { totalCount, pageInfo }: Props['page']): string {
  const total = totalCount.toLocaleString('en');
  if (view.at === 0 && pageInfo.hasPreviousPage) return `of ${total}`;
  const last = Math.min(totalCount, view.at + view.size);
  return `${(view.at + 1).toLocaleString('en')} to ${last.toLocaleString('en')} of ${total}`;
}

const row = { display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, mt: 1.5 } as const;
