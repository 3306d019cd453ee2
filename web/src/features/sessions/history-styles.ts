/** Style of a history row: columns with two lines each on wide screens, a block on a phone. */
export const historyRow = {
  position: 'relative',
  display: 'grid',
  columnGap: { xs: 1.5, lg: 2 },
  px: 1.5,
  py: { xs: 1, md: '3px' },
  gridTemplateColumns: {
    xs: 'minmax(0, 1fr) auto auto',
    md: '24px 128px minmax(0, 1fr) 118px var(--rating-narrow, 92px) 116px 92px',
    lg: '24px 132px minmax(0, 1fr) 150px var(--rating, 116px) 180px 92px',
  },
} as const;

export const historyBody = {
  borderTop: { xs: 0, md: 1 },
  '& + &': { borderTop: 1 },
  '&, & + &': { borderColor: 'divider' },
  alignItems: 'baseline',
  rowGap: 0.5,
  gridTemplateAreas: {
    xs: '"status took tools" "alert alert alert" "kind when when" "review review review"',
    md: 'none',
  },
  fontSize: '0.8125rem',
  lineHeight: 1.4,
  '& .cell-alert': { minWidth: 0 },
  '& .cell-kind, & .cell-review, & .cell-when, & .cell-took': { color: 'text.secondary' },
  '& .cell-when, & .cell-took': { justifyContent: 'end' },
  // On a phone, a long author is truncated before the alert type is.
  '& .cell-when > * + *': { maxWidth: { xs: 112, md: 'none' } },
  '& .cell-took': { textAlign: 'right', fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' },
  '& .cell-review:empty': { display: { xs: 'none', md: 'block' } },
} as const;

/** Style of a cell with two facts: stacked in a column, side by side on a phone. */
export const facts = {
  display: 'flex',
  flexDirection: { xs: 'row', md: 'column' },
  columnGap: 1,
  alignItems: { xs: 'baseline', md: 'stretch' },
  minWidth: 0,
  '& > *': { minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '& > * + *': { fontSize: '0.75rem' },
} as const;

/** Style of a severity and a title on one line. */
export const titled = { display: 'flex', alignItems: 'center', gap: 0.75, minWidth: 0 } as const;
