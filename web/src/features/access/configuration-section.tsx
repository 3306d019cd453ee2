import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { memo } from 'react';
import { mono } from '../../theme.ts';
import { type ConfigurationValue, originOf, textOf } from './configuration-values.ts';

interface Props {
  readonly name: string;
  readonly values: readonly ConfigurationValue[];
}

export function ConfigurationSection({ name, values }: Props) {
  return (
    <Box component="section" aria-label={name} sx={{ mb: 3 }}>
      <Typography variant="h2" sx={{ mb: 1, fontFamily: mono }}>
        {name}
      </Typography>
      <Paper component="dl" sx={list}>
        {values.map((value) => (
          <Value key={value.path} value={value} />
        ))}
      </Paper>
    </Box>
  );
}

const Value = memo(function Value({ value }: { value: ConfigurationValue }) {
  return (
    <Box sx={row}>
      <Box component="dt" sx={path}>
        {value.path}
      </Box>
      <Box component="dd" sx={[text, value.hidden && quiet]}>
        {textOf(value)}
      </Box>
      <Box component="dd" sx={[text, quiet, { fontFamily: value.from === 'BUILT_IN' ? undefined : mono }]}>
        {originOf(value)}
      </Box>
    </Box>
  );
});

const list = { m: 0, '& > div + div': { borderTop: 1, borderColor: 'divider' } } as const;
const row = {
  display: 'grid',
  columnGap: 2,
  px: 1.5,
  py: 0.75,
  fontSize: '0.8125rem',
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'minmax(0, 5fr) minmax(0, 5fr) minmax(0, 3fr)' },
} as const;
const path = { fontFamily: mono, fontSize: '0.75rem', fontWeight: 600, overflowWrap: 'anywhere' } as const;
const text = { m: 0, minWidth: 0, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' } as const;
const quiet = { color: 'text.secondary', fontSize: '0.75rem' } as const;
