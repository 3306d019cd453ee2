import Box from '@mui/material/Box';
import GlobalStyles from '@mui/material/GlobalStyles';
import { useMemo } from 'react';
import { CopyButton } from '../../components/copy-button.tsx';
import { FindField } from '../../components/find-field.tsx';
import { DIALOG_STYLES } from '../../components/find-highlights.ts';
import { LongText } from '../../components/long-text.tsx';
import { useTextFind } from '../../components/use-text-find.ts';
import { readAnsi } from '../../lib/ansi.ts';
import type { Passage } from '../../lib/passage.ts';
import { mono } from '../../theme.ts';

interface Props {
  readonly text: string;
  readonly passage: Passage | null;
  /** Accessible name of the text. */
  readonly label: string;
}

/** Shows a text of any length with colours and line numbers, scrolled to a marked passage, with a search and a copy button. */
export function EvidenceText({ text, passage: rawPassage, label }: Props) {
  const shown = useMemo(() => readAnsi(text), [text]);
  const passage = useMemo(() => plainPassage(text, rawPassage), [text, rawPassage]);
  const { find, place, box, inputRef } = useTextFind(shown.plain);
  const numbers = useMemo(
    () => ({ link: null, marked: null, digits: String(shown.plain.split('\n').length).length }),
    [shown],
  );
  return (
    <Box sx={frame}>
      <GlobalStyles styles={DIALOG_STYLES} />
      <Box sx={tools}>
        <FindField
          find={find}
          label={`Find in ${label.toLowerCase()}`}
          landmark={`Search ${label.toLowerCase()}`}
          placeholder="Find"
          inputRef={inputRef}
        />
        <CopyButton label={`Copy ${label.toLowerCase()}`} text={() => shown.plain} />
      </Box>
      <Box ref={box} sx={well}>
        <LongText
          text={shown}
          label={label}
          maxHeight="60vh"
          place={place ?? passage?.start ?? null}
          numbers={numbers}
          passage={passage}
        />
      </Box>
    </Box>
  );
}

/** Returns the passage of the text without terminal codes. */
function plainPassage(text: string, passage: Passage | null): Passage | null {
  if (passage === null) return null;
  const start = readAnsi(text.slice(0, passage.start)).plain.length;
  return { start, end: start + readAnsi(text.slice(passage.start, passage.end)).plain.length };
}

const frame = {
  flex: '1 1 auto',
  minHeight: 120,
  display: 'flex',
  flexDirection: 'column',
  gap: 1,
} as const;
const tools = {
  display: 'flex',
  alignItems: 'center',
  justifyContent: 'flex-end',
  gap: 0.5,
  pt: 0.25,
} as const;
const well = {
  flex: '1 1 auto',
  minHeight: 0,
  p: 1.25,
  bgcolor: 'well',
  border: '1px solid',
  borderColor: 'divider',
  borderRadius: 1,
  fontFamily: mono,
  fontSize: '0.75rem',
  lineHeight: 1.55,
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
} as const;
