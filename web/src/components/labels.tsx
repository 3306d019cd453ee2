import Box from '@mui/material/Box';

/** Shows the operator's labels of a session; nothing if it has none. */
export function Labels({ labels }: { labels: readonly string[] }) {
  if (labels.length === 0) return null;
  return (
    <Box component="ul" aria-label="Labels" sx={list}>
      {labels.map((label) => (
        <Box component="li" key={label} sx={item}>
          {label}
        </Box>
      ))}
    </Box>
  );
}

const list = {
  display: 'flex',
  flexWrap: 'wrap',
  gap: 0.5,
  m: 0,
  my: 0.5,
  p: 0,
  listStyle: 'none',
} as const;

const item = {
  px: 0.75,
  border: 1,
  borderColor: 'divider',
  borderRadius: 1,
  fontSize: '0.75rem',
  color: 'text.secondary',
  overflowWrap: 'anywhere',
} as const;
