import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import useMediaQuery from '@mui/material/useMediaQuery';
import { useMemo } from 'react';
import { CopyButton } from '../../components/copy-button.tsx';
import { LinkIcon } from '../../components/icons.tsx';
import { Loading } from '../../components/loading.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { type CheckedClaimFragment, CitedOutputDocument } from '../../graphql/gen/documents.ts';
import { useQuery } from '../../graphql/use-query.ts';
import { inlineValue } from '../../lib/data-text.ts';
import { prettyJson } from '../../lib/pretty-json.ts';
import { Link } from '../../lib/router.tsx';
import { mono } from '../../theme.ts';
import { isEmptyArgs, toolCallFacts } from '../timeline/tool-call.ts';
import { EvidenceText } from './evidence-text.tsx';

export type CitationOf = CheckedClaimFragment['citations'][number];

interface Props {
  readonly claim: CheckedClaimFragment;
  readonly citation: CitationOf;
  /** The session's alert text, for citations of the alert. */
  readonly alert: string;
  readonly close: () => void;
}

/** Shows the complete text that a claim cites, scrolled to the quote. */
export function EvidenceDialog({ claim, citation, alert, close }: Props) {
  const phone = useMediaQuery('(max-width: 599.95px)');
  const { source, timelineEvent } = citation;
  return (
    <Dialog open onClose={close} fullWidth maxWidth="lg" fullScreen={phone} aria-labelledby="evidence-title">
      <DialogTitle id="evidence-title" sx={{ overflowWrap: 'anywhere', pb: 1 }}>
        {timelineEvent === null ? 'Alert' : source}
        <Box component="span" sx={said}>
          Cited for “{claim.text}”
        </Box>
      </DialogTitle>
      <DialogContent sx={content}>
        {citation.problem === null ? null : (
          <Alert severity="warning" variant="outlined" sx={{ overflowWrap: 'anywhere' }}>
            {citation.problem} Quote: “{citation.quote}”
          </Alert>
        )}
        {timelineEvent === null ? (
          <Text text={alert} citation={citation} label="Alert" />
        ) : (
          <Output id={timelineEvent.id} citation={citation} />
        )}
      </DialogContent>
      <DialogActions>
        <CopyButton
          label="Copy link to this quote"
          icon={<LinkIcon fontSize="small" />}
          text={() => window.location.href}
        />
        <Box sx={{ flex: 1 }} />
        {timelineEvent === null ? null : (
          <Button component={Link} to={{ hash: `#event-${timelineEvent.sequenceNumber}` }}>
            Show in timeline
          </Button>
        )}
        <Button variant="contained" onClick={close}>
          Close
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function Output({ id, citation }: { id: string; citation: CitationOf }) {
  const [{ data, error }, refetch] = useQuery({ query: CitedOutputDocument, variables: { id } });
  if (error !== undefined && data === undefined)
    return (
      <ErrorNotice
        what="Could not load the tool output."
        error={error}
        retry={() => refetch({ requestPolicy: 'network-only' })}
      />
    );
  if (data === undefined) return <Loading label="Loading tool output" height={240} />;
  const event = data.node !== null && 'sequenceNumber' in data.node ? data.node : null;
  if (event === null) return <Alert severity="info">This tool call is no longer stored.</Alert>;
  const { name, args } = toolCallFacts(event.metadata);
  return (
    <>
      <Box sx={call}>
        <b>{name}</b> {isEmptyArgs(args) ? null : inlineValue(args)}
      </Box>
      {event.output === null || event.output.length === 0 ? (
        <Box sx={{ color: 'text.secondary' }}>The output is empty.</Box>
      ) : (
        <Text text={event.output.text} citation={citation} label="Tool output" />
      )}
    </>
  );
}

function Text({ text, citation, label }: { text: string; citation: CitationOf; label: string }) {
  const { start, end } = citation;
  const shown = useMemo(
    () => prettyJson(text, start === null || end === null ? null : { start, end }),
    [text, start, end],
  );
  return <EvidenceText text={shown.text} passage={shown.passage} label={label} />;
}

// Style of a tool call: shows at most three lines, because long arguments would push the result out of view.
const call = {
  flex: 'none',
  fontFamily: mono,
  fontSize: '0.8125rem',
  overflowWrap: 'anywhere',
  display: '-webkit-box',
  WebkitBoxOrient: 'vertical',
  WebkitLineClamp: 3,
  overflow: 'hidden',
} as const;
const said = {
  display: 'block',
  fontSize: '0.875rem',
  fontWeight: 400,
  color: 'text.secondary',
} as const;
const content = {
  display: 'flex',
  flexDirection: 'column',
  gap: 1,
  minHeight: 0,
  overflow: 'hidden',
} as const;
