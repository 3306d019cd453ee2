/** A row of the history: columns where there is room, a block of three lines on a phone. */
export const historyRow = {
  position: 'relative',
  display: 'grid',
  columnGap: { xs: 1.5, lg: 2 },
  px: 1.5,
  py: { xs: 1, md: 0.5 },
  gridTemplateColumns: {
    xs: 'auto auto minmax(56px, auto) minmax(0, 1fr)',
    md: '128px minmax(0, 1fr) 92px 96px 76px 72px 50px',
    lg: '132px minmax(0, 1fr) 150px 170px 92px 84px 60px',
  },
} as const;

export const historyBody = {
  borderTop: { xs: 0, md: 1 },
  '& + &': { borderTop: 1 },
  '&, & + &': { borderColor: 'divider' },
  alignItems: 'baseline',
  rowGap: 0.5,
  gridTemplateAreas: {
    xs: '"status status created created" "alert alert alert alert" "duration tokens type author"',
    md: 'none',
  },
  fontSize: '0.8125rem',
  '& .cell-alert': { minWidth: 0 },
  '& .cell-created': { textAlign: { xs: 'right', md: 'left' } },
  '& .cell-type, & .cell-author, & .cell-created, & .cell-duration, & .cell-tokens': {
    color: 'text.secondary',
  },
  '& .cell-type, & .cell-author': { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '& .cell-author': { textAlign: { xs: 'right', md: 'left' } },
  '& .cell-duration, & .cell-tokens': {
    textAlign: { xs: 'left', md: 'right' },
    fontVariantNumeric: 'tabular-nums',
    whiteSpace: 'nowrap',
  },
} as const;

/** A title with how bad it is before it, on one line. */
export const titled = { display: 'flex', alignItems: 'center', gap: 0.75, minWidth: 0 } as const;
