/** Style of a line of text in a banner below the header. */
export const bannerLine = {
  display: 'flex',
  alignItems: 'center',
  gap: 1,
  px: { xs: 1.5, sm: 3 },
  py: 0.75,
  fontSize: '0.8125rem',
  color: 'status.late',
  bgcolor: 'color-mix(in srgb, var(--mui-palette-status-late) 10%, var(--mui-palette-background-paper))',
  borderBottom: '1px solid',
  borderColor: 'divider',
  '@media print': { display: 'none' },
} as const;

export const bannerMessage = { minWidth: 0, overflowWrap: 'anywhere' } as const;
