import Box from '@mui/material/Box';
import { createContext, useContext } from 'react';

/** True below results of the offline rules. */
export const RulesContext = createContext(false);

/**
 * Marks a text that a model or the offline rules wrote, so that viewers can tell it from measurements and from texts of
 * people.
 */
export function AiMark({ byRules = false }: { byRules?: boolean }) {
  const isByRules = useContext(RulesContext) || byRules;
  return (
    <Box component="abbr" title={isByRules ? RULES : MODEL} sx={mark}>
      {isByRules ? 'Rules' : 'AI'}
    </Box>
  );
}

const MODEL = 'Written by a language model. May be wrong.';
const RULES = 'Written by fixed rules, without a language model. Draws no conclusions.';

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
