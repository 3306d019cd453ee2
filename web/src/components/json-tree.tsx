import Box from '@mui/material/Box';
import { useState } from 'react';
import { isExactNumber, parseJson } from '../lib/parse-json.ts';
import { Disclosure } from './disclosure.tsx';
import { MoreButton } from './more-button.tsx';

// Maximum length of a parsed text (characters), because parsing a longer one blocks the page.
const MAX_LENGTH = 5_000_000;
// Number of entries of an object or array that are shown at once.
const PAGE_SIZE = 200;

/** Returns the parsed text if it is a JSON object or array; undefined otherwise. */
export function readTree(text: string): { readonly value: object } | undefined {
  if (text.length > MAX_LENGTH || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return { value: parseJson(text) as object };
  } catch {
    return undefined;
  }
}

/** Shows a JSON value; objects and arrays can be opened. `name` is the value's key or index; null for the root. */
export function JsonTree({
  name,
  value,
  depth = 0,
}: {
  name: string | null;
  value: unknown;
  depth?: number;
}) {
  const [shownCount, setShownCount] = useState(PAGE_SIZE);
  if (typeof value !== 'object' || value === null || isExactNumber(value)) {
    return (
      <Box sx={leaf}>
        <Key name={name} />
        <Box component="span" sx={{ color: typeof value === 'string' ? 'status.done' : 'status.running' }}>
          {JSON.stringify(value)}
        </Box>
      </Box>
    );
  }
  const parts = Object.entries(value);
  const isList = Array.isArray(value);
  const size = `${parts.length} ${isList ? 'element' : 'member'}${parts.length === 1 ? '' : 's'}`;
  return (
    <Disclosure
      defaultOpen={depth < 2}
      summary={
        <span>
          <Key name={name} />
          <Box component="span" sx={{ color: 'text.secondary' }}>
            {isList ? `[${size}]` : `{${size}}`}
          </Box>
        </span>
      }
    >
      <Box sx={{ ml: 2.5 }}>
        {parts.slice(0, shownCount).map(([key, part]) => (
          <JsonTree key={key} name={key} value={part} depth={depth + 1} />
        ))}
        {parts.length > shownCount ? (
          <MoreButton onClick={() => setShownCount(shownCount + PAGE_SIZE)}>
            {parts.length - shownCount} more
          </MoreButton>
        ) : null}
      </Box>
    </Disclosure>
  );
}

function Key({ name }: { name: string | null }) {
  return name === null ? null : (
    <Box component="span" sx={{ fontWeight: 600 }}>
      {name}:{' '}
    </Box>
  );
}

const leaf = { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', pl: 2.5 } as const;
