import Box from '@mui/material/Box';
import { CheckIcon, CloseIcon } from '../../components/icons.tsx';
import type { CheckedClaimFragment, ClaimStatus } from '../../graphql/gen/documents.ts';
import { Link } from '../../lib/router.tsx';
import { visuallyHidden } from '../../lib/visually-hidden.ts';
import { canOpen, reportHash } from './report-hash.ts';
import { SOURCES } from './report-text.ts';

type Claim = CheckedClaimFragment;
type Fact = Claim['facts'][number];

interface Props {
  readonly claim: Claim;
  /** Position of the claim in the report, from 1. */
  readonly number: number;
  /** Index of the stage whose answer makes the claim; `null` for the investigation's report. */
  readonly answer: number | null;
}

/** Shows the facts that a claim states, each with the result of its check and a link to the evidence. */
export function ClaimFacts({ claim, number, answer }: Props) {
  return (
    <Box component="ul" aria-label="Facts" sx={list}>
      {claim.facts.map((fact, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a report never changes
        <Box component="li" key={index} sx={row}>
          <Mark status={fact.status} />
          <div>
            <Evidence fact={fact} claim={claim} position={{ answer, claim: number }} />
            {fact.problem === null ? null : <Box sx={{ color: 'text.secondary' }}>{fact.problem}</Box>}
          </div>
        </Box>
      ))}
    </Box>
  );
}

interface EvidenceProps {
  readonly fact: Fact;
  readonly claim: Claim;
  readonly position: { readonly answer: number | null; readonly claim: number };
}

/** Links the fact to its evidence, if this page can show the cited text. */
function Evidence({ fact, claim, position }: EvidenceProps) {
  const index = claim.citations.findIndex(
    ({ source, quote }) => source === fact.citation?.source && quote === fact.citation.quote,
  );
  const citation = claim.citations[index];
  if (citation === undefined) return <FactText fact={fact} />;
  const source = SOURCES[citation.source] ?? citation.source;
  if (!canOpen(citation))
    return (
      <>
        <FactText fact={fact} /> {source}
      </>
    );
  return (
    <Box component={Link} to={{ hash: reportHash({ ...position, citation: index + 1 }) }} sx={link}>
      <FactText fact={fact} />{' '}
      <Box component="span" sx={{ color: 'primary.main' }}>
        {source}
      </Box>
    </Box>
  );
}

type StatedFact = Pick<Fact, 'subject' | 'attribute' | 'value' | 'unit' | 'negated' | 'window' | 'filter'>;

/** Shows a fact in words. */
export function FactText({ fact }: { fact: StatedFact }) {
  const { subject, attribute, value, unit, negated, window, filter } = fact;
  const where = [window, filter].filter((part) => part !== null).join('; ');
  if (attribute === 'absent')
    return (
      <>
        {negated ? null : 'no '}
        <b>{subject}</b> found{where === '' ? null : ` (${where})`}
      </>
    );
  return (
    <>
      <b>{subject}</b>
      {attribute === subject ? null : ` · ${attribute}`} = {negated ? <b>not </b> : null}
      {value}
      {unit === null ? null : ` ${unit}`}
    </>
  );
}

function Mark({ status }: { status: ClaimStatus }) {
  if (status === 'SUPPORTED')
    return <CheckIcon titleAccess="Confirmed" sx={[icon, { color: 'status.done' }]} />;
  if (status === 'UNSUPPORTED')
    return <CloseIcon titleAccess="Not confirmed" sx={[icon, { color: 'status.failed' }]} />;
  return (
    <span>
      ·<span style={visuallyHidden}>Not checked</span>
    </span>
  );
}

const list = {
  m: 0,
  mt: 0.25,
  p: 0,
  listStyle: 'none',
  display: 'grid',
  fontSize: '0.8125rem',
  overflowWrap: 'anywhere',
} as const;
const row = {
  display: 'grid',
  gridTemplateColumns: '15px minmax(0, 1fr)',
  columnGap: 0.75,
  minHeight: 24,
} as const;
const icon = { fontSize: 15, mt: 0.375 } as const;
// Links are at least 24 pixels high, so that a finger hits them.
const link = {
  display: 'inline-block',
  minHeight: 24,
  color: 'text.primary',
  textDecoration: 'none',
  '&:hover': { textDecoration: 'underline' },
} as const;
