import Box from '@mui/material/Box';
import { highlightPieces } from '../lib/highlight.ts';

export function Highlight({ text, search }: { text: string; search: string }) {
  if (search === '') return text;
  return highlightPieces(text, search).map(({ text: piece, hit }, index) =>
    hit ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text have no other identity than their place
      <Box component="mark" key={index} sx={mark}>
        {piece}
      </Box>
    ) : (
      piece
    ),
  );
}

const mark = { bgcolor: 'mark', color: 'text.primary', borderRadius: 0.5 } as const;
