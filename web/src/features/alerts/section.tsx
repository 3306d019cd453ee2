import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { type ReactNode, useId } from 'react';

export function Section({
  title,
  count,
  children,
}: {
  title: string;
  count?: number | undefined;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <Box component="section" aria-labelledby={id} sx={{ mb: 3 }}>
      <Typography variant="h2" sx={{ mb: 1 }}>
        <span id={id}>{title}</span>
        <Box component="span" sx={{ ml: 1, color: 'text.secondary', fontWeight: 500 }}>
          {count?.toLocaleString('en') ?? ''}
        </Box>
      </Typography>
      {children}
    </Box>
  );
}
