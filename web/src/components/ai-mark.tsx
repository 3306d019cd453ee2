import Box from '@mui/material/Box';

/**
 * Marks a text that a model wrote, so that viewers can tell it from measurements and from texts of people.
 */
export function AiMark() {
  return (
    <Box component="abbr" title="Written by a language model. May be wrong." sx={mark}>
      AI
    </Box>
  );
}

const mark = {
  display: 'inline-block',
  flex: 'none',
  px: 0.5,
  fontSize: '0.6875rem',
  fontWeight: 700,
  lineHeight: '16px',
  letterSpacing: '0.04em',
  color: 'status.stopped',
  border: '1px solid',
  borderColor: 'currentColor',
  borderRadius: 0.75,
  textDecoration: 'none',
  cursor: 'help',
} as const;
