/** Style of a toolbar button: its text is beside the icon, or below it on a phone. */
export const toolButton = {
  minWidth: { xs: 44, sm: 0 },
  px: { xs: 0.5, sm: 1 },
  gap: { xs: 0, sm: 0.75 },
  flexDirection: { xs: 'column', sm: 'row' },
  fontSize: { xs: '0.6875rem', sm: '0.8125rem' },
  lineHeight: { xs: 1.3, sm: 1.75 },
  '& svg': { fontSize: 18 },
} as const;
