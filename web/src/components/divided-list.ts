/** Style of a list without markers whose rows are divided by lines. */
export const dividedList = {
  m: 0,
  p: 0,
  listStyle: 'none',
  '& > li + li': { borderTop: 1, borderColor: 'divider' },
} as const;
