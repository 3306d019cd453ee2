import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { AiMark } from '../../components/ai-mark.tsx';
import { AlertIcon, CheckIcon, CloseIcon } from '../../components/icons.tsx';
import type { HypothesisState, SessionHypothesisFragment } from '../../graphql/gen/documents.ts';
import { SessionHypothesesDocument } from '../../graphql/gen/lazy-documents.ts';
import { useLiveQuery } from '../../graphql/use-live-query.ts';
import { Link } from '../../lib/router.tsx';
import { FactText } from '../report/claim-facts.tsx';
import { SOURCES } from '../report/report-text.ts';
import type { TimelineState } from '../timeline/timeline-reducer.ts';
import { toolCallFacts } from '../timeline/tool-call.ts';

const UPDATE_TOOL = 'tarsy.update_hypotheses';

/** Label of a state. The icon tells the states apart without colour. */
const STATES: Readonly<
  Record<HypothesisState, { readonly label: string; readonly tone: string; readonly Icon: typeof CheckIcon }>
> = {
  PROPOSED: { label: 'Proposed', tone: 'text.secondary', Icon: AlertIcon },
  SUPPORTED: { label: 'Supported', tone: 'status.done', Icon: CheckIcon },
  REFUTED: { label: 'Refuted', tone: 'status.failed', Icon: CloseIcon },
};

interface Props {
  readonly sessionId: string;
  /** Timeline items: each finished call of the tool is a reason to read the hypotheses again. */
  readonly items: TimelineState['items'];
}

/** Shows the possible causes that the agents examine, each with its state and proof; nothing if there are none. */
export function HypothesesCard({ sessionId, items }: Props) {
  const { data } = useLiveQuery(SessionHypothesesDocument, { id: sessionId }, countUpdates(items));
  const hypotheses = data?.session?.hypotheses ?? [];
  if (hypotheses.length === 0) return null;
  return (
    <Paper component="section" aria-label="Hypotheses" sx={{ mb: 2, p: { xs: 1.5, sm: 2 } }}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
        <Typography variant="h2">Hypotheses</Typography>
        <AiMark />
      </Box>
      <Box component="ul" aria-label="Hypotheses" sx={list}>
        {hypotheses.map((hypothesis) => (
          <Item key={hypothesis.id} hypothesis={hypothesis} />
        ))}
      </Box>
    </Paper>
  );
}

function Item({ hypothesis }: { hypothesis: SessionHypothesisFragment }) {
  const { text, state, agent, facts } = hypothesis;
  const { label, tone, Icon } = STATES[state];
  return (
    <Box component="li" sx={item}>
      <Box component="span" sx={[chip, { color: tone }]}>
        <Icon sx={{ fontSize: 15 }} />
        {label}
      </Box>
      <Box sx={{ minWidth: 0, overflowWrap: 'anywhere' }}>
        {text}
        <Box sx={secondary}>{agent}</Box>
        {facts.map((fact, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: facts are replaced as a whole
          <Box key={index} sx={secondary}>
            <FactText fact={fact} /> <Source citation={fact.citation} />
          </Box>
        ))}
      </Box>
    </Box>
  );
}

/** Links to the tool call that proves a fact. */
function Source({ citation }: { citation: SessionHypothesisFragment['facts'][number]['citation'] }) {
  if (citation === null) return null;
  const { source, timelineEvent } = citation;
  if (timelineEvent === null) return SOURCES[source] ?? source;
  return (
    <Box component={Link} to={{ hash: `#event-${timelineEvent.sequenceNumber}` }} sx={link}>
      {source}
    </Box>
  );
}

function countUpdates(items: TimelineState['items']): number {
  let count = 0;
  for (const { type, status, metadata } of items.values())
    if (type === 'LLM_TOOL_CALL' && status !== 'STREAMING' && toolCallFacts(metadata).name === UPDATE_TOOL)
      count += 1;
  return count;
}

const list = { m: 0, mt: 1, p: 0, listStyle: 'none', display: 'grid', gap: 1 } as const;
const item = {
  display: 'grid',
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: '6.5rem minmax(0, 1fr)' },
  columnGap: 1,
  breakInside: 'avoid',
} as const;
const chip = {
  display: 'inline-flex',
  alignItems: 'center',
  alignSelf: 'start',
  gap: 0.25,
  minHeight: 24,
  fontSize: '0.8125rem',
  fontWeight: 650,
} as const;
const secondary = { fontSize: '0.8125rem', color: 'text.secondary' } as const;
// Links are at least 24 pixels high, so that a finger hits them.
const link = { display: 'inline-block', minHeight: 24, minWidth: 24, color: 'primary.main' } as const;
