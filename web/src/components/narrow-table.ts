import { visuallyHidden } from '../lib/visually-hidden.ts';

/** Widest window (px) in which a table shows its cells below each other. */
const NARROW = 599.95;

/**
 * Style of a table whose rows become blocks on a phone, so that no column is out of view: the row's heading, and below
 * it each cell behind the text of its `data-label`.
 */
export const narrowTable = {
  [`@media (max-width: ${NARROW}px)`]: {
    '& thead': visuallyHidden,
    '& tbody tr': { display: 'flex', flexWrap: 'wrap' },
    '& tbody th:first-of-type': { flexBasis: '100%', pb: 0 },
    '& td': { pr: 0, textAlign: 'left' },
    '& td::before': { content: 'attr(data-label) " "', color: 'var(--mui-palette-text-secondary)' },
  },
} as const;
