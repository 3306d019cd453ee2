import Box from '@mui/material/Box';
import { mono } from '../../theme.ts';
import type { Labels } from './labels.ts';

export function LabelList({ labels }: { labels: Labels }) {
  return (
    <Box component="ul" aria-label="Labels" sx={list}>
      {Object.entries(labels).map(([name, value]) => (
        <Box component="li" key={name} sx={pair}>
          <Box component="span" sx={{ color: 'text.secondary' }}>
            {name}=
          </Box>
          <bdi>{value}</bdi>
        </Box>
      ))}
    </Box>
  );
}

const list = { display: 'flex', flexWrap: 'wrap', gap: 0.5, m: 0, p: 0, listStyle: 'none' } as const;
const pair = {
  px: 0.75,
  borderRadius: 0.5,
  bgcolor: 'well',
  fontFamily: mono,
  fontSize: '0.75rem',
  lineHeight: '20px',
  overflowWrap: 'anywhere',
} as const;
