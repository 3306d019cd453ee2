import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import { useEffect, useState } from 'react';
import { errorText } from '../../components/notice.tsx';
import { SeverityChip } from '../../components/severity.tsx';
import type { SilencePreviewQuery } from '../../graphql/gen/documents.ts';
import { SilencePreviewDocument } from '../../graphql/gen/lazy-documents.ts';
import { useQuery } from '../../graphql/use-query.ts';

/** Delay (ms) between the last key and the query of the preview. */
const TYPING_MS = 400;

/** Shows the firing alerts that a silence with these matchers would cover. */
export function SilencePreview({ matchers }: { matchers: readonly string[] }) {
  const settled = useSettled(JSON.stringify(matchers));
  const wanted = JSON.parse(settled) as string[];
  const [{ data, error, stale, fetching }] = useQuery({
    query: SilencePreviewDocument,
    variables: { matchers: wanted },
    pause: wanted.length === 0,
    requestPolicy: 'cache-and-network',
  });
  return (
    <Box aria-live="polite" aria-busy={stale || fetching} sx={frame}>
      {error !== undefined ? (
        <Alert severity="warning">Could not load the preview. {errorText(error)}</Alert>
      ) : wanted.length === 0 || data == null ? null : (
        <Covered preview={data.silencePreview} />
      )}
    </Box>
  );
}

function Covered({ preview }: { preview: SilencePreviewQuery['silencePreview'] }) {
  const { groups, groupCount } = preview;
  return (
    <>
      <Box sx={{ fontWeight: 600 }}>{coveredText(preview)}</Box>
      <Box component="ul" aria-label="Groups with silenced alerts" sx={list}>
        {groups.map(({ id, title, severity, state, source }) => (
          <Box component="li" key={id} sx={{ display: 'flex', gap: 1, minWidth: 0 }}>
            <SeverityChip severity={severity} state={state} />
            <Box component="span" sx={{ minWidth: 0, overflowWrap: 'anywhere' }}>
              {title}
            </Box>
            <Box component="span" sx={{ color: 'text.secondary', ml: 'auto' }}>
              {source}
            </Box>
          </Box>
        ))}
        {groupCount > groups.length ? <li>and {groupCount - groups.length} more</li> : null}
      </Box>
    </>
  );
}

function coveredText(preview: SilencePreviewQuery['silencePreview']): string {
  const { alertCount, groupCount, silencedGroupCount, isComplete } = preview;
  if (alertCount === 0) return 'No firing alerts match.';
  const atLeast = isComplete ? '' : 'At least ';
  const alerts = `${atLeast}${count(alertCount, 'firing alert')} in ${count(groupCount, 'group')}`;
  const others = groupCount - silencedGroupCount;
  if (others === 0) return `${alerts}.`;
  return `${alerts}. TARSy still investigates ${count(others, 'group')} with other alerts.`;
}

const count = (number: number, what: string) =>
  `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`;

/** Returns the text once it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

// The height is fixed, so that the buttons below do not move while the viewer types.
const frame = { height: 116, overflowY: 'auto', fontSize: '0.8125rem' } as const;
const list = { m: 0, mt: 0.75, p: 0, listStyle: 'none', display: 'grid', gap: 0.5 } as const;
