import Box from '@mui/material/Box';
import CircularProgress from '@mui/material/CircularProgress';
import { useMemo } from 'react';
import { CodeBlock } from '../../components/code-block.tsx';
import { Disclosure } from '../../components/disclosure.tsx';
import type { LineLinks } from '../../components/line-number.tsx';
import { Duration } from '../../components/time.tsx';
import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';
import { inlineValue } from '../../lib/data-text.ts';
import { prettyJson } from '../../lib/pretty-json.ts';
import { useLocation } from '../../lib/router.tsx';
import { mono } from '../../theme.ts';
import { useFindPlace } from './find-place.ts';
import { pageUrl, parseTimelineHash } from './page-link.ts';
import { argumentsText, isEmptyArgs, type ToolCallFacts, toolCallFacts } from './tool-call.ts';

// Number of characters of the result that a collapsed call shows: about one line.
const PREVIEW_LENGTH = 240;

interface Props {
  readonly item: TimelineItemFragment;
  readonly text: string;
}

/** A tool call: name and arguments on one line, details on demand. A failed call starts expanded. */
export function ToolCallItem({ item, text }: Props) {
  const facts = toolCallFacts(item.metadata);
  const running = item.status === 'STREAMING';
  const failed = facts.isError || (!running && item.status !== 'COMPLETED');
  const line = text.slice(0, PREVIEW_LENGTH).replace(/\s+/g, ' ').trim();
  const preview =
    line === '' ? null : (
      <Box sx={{ ml: { xs: 0, sm: 2.5 }, color: 'text.secondary', ...ellipsis }}>{line}</Box>
    );
  return (
    <Box sx={{ fontSize: '0.8125rem' }}>
      <Disclosure
        // The key depends on the outcome, so that a call that fails while the viewer watches it expands.
        key={failed ? 'failed' : 'fine'}
        stateKey={failed ? `${item.id}:failed` : item.id}
        defaultOpen={failed}
        summary={<Summary item={item} facts={facts} running={running} failed={failed} />}
        preview={preview}
      >
        <Details facts={facts} text={text} running={running} item={item} />
      </Disclosure>
    </Box>
  );
}

interface SummaryProps {
  readonly item: TimelineItemFragment;
  readonly facts: ToolCallFacts;
  readonly running: boolean;
  readonly failed: boolean;
}

function Summary({ item, facts: { name, args, isInterrupted }, running, failed }: SummaryProps) {
  return (
    <>
      <Box component="span" data-find="name" sx={toolName}>
        {name}
      </Box>
      <Box component="span" sx={inlineArgs}>
        {isEmptyArgs(args) ? '' : inlineValue(args)}
      </Box>
      {running ? <CircularProgress size={12} aria-label="Running" /> : null}
      {failed ? (
        <Box component="span" sx={{ color: 'status.failed', fontWeight: 600, flex: 'none' }}>
          {outcomeText(item, isInterrupted)}
        </Box>
      ) : null}
      <Box component="span" sx={{ color: 'text.secondary', flex: 'none' }}>
        <Duration start={item.createdAt} end={running ? null : item.updatedAt} />
      </Box>
    </>
  );
}

function outcomeText({ status }: TimelineItemFragment, isInterrupted: boolean): string {
  if (status === 'CANCELLED') return 'cancelled';
  if (status === 'TIMED_OUT') return 'timed out';
  return isInterrupted ? 'interrupted' : 'failed';
}

const UNKNOWN_OUTCOME =
  'The call was interrupted before TARSy stored a result. The call may have taken effect.';

interface DetailsProps {
  readonly item: TimelineItemFragment;
  readonly facts: ToolCallFacts;
  readonly text: string;
  readonly running: boolean;
}

function Details({ item, facts, text, running }: DetailsProps) {
  const links = useLineLinks(item.sequenceNumber);
  const placeInArguments = useFindPlace(item.id, 'arguments');
  const place = useFindPlace(item.id, 'content');
  const { args, isInterrupted } = facts;
  const pretty = useMemo(() => prettyJson(text).text, [text]);
  return (
    <Box sx={{ ml: { xs: 0, sm: 2.5 } }}>
      {isEmptyArgs(args) ? null : (
        <div data-find="arguments">
          <Box sx={caption}>Arguments</Box>
          <CodeBlock label="Arguments" maxHeight={200} text={argumentsText(args)} place={placeInArguments} />
        </div>
      )}
      <Box sx={caption}>Result</Box>
      {text === '' ? (
        <Box sx={{ color: 'text.secondary' }}>
          {running ? 'No result yet.' : isInterrupted ? UNKNOWN_OUTCOME : 'The result is empty.'}
        </Box>
      ) : (
        <div data-find="content">
          <CodeBlock label="Result" text={pretty} links={links} place={place} />
        </div>
      )}
    </Box>
  );
}

/** Returns the URLs of the result's lines, and the line that the URL hash names. */
function useLineLinks(sequenceNumber: number): LineLinks {
  const position = parseTimelineHash(useLocation().hash);
  const named = position?.kind === 'event' && position.number === sequenceNumber ? position.line : null;
  return useMemo(
    () => ({ urlOf: (line) => pageUrl(`#event-${sequenceNumber}-line-${line}`), named }),
    [sequenceNumber, named],
  );
}

const ellipsis = { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' } as const;

const caption = { my: 0.5, fontSize: '0.75rem', color: 'text.secondary' } as const;
const toolName = { fontFamily: mono, fontWeight: 650, flex: 'none', maxWidth: '60%', ...ellipsis } as const;
const inlineArgs = { fontFamily: mono, color: 'text.secondary', flex: 1, minWidth: 0, ...ellipsis } as const;
