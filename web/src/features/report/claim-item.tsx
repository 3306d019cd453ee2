import Box from '@mui/material/Box';
import type { CheckedClaimFragment } from '../../graphql/gen/documents.ts';
import { Link } from '../../lib/router.tsx';
import { ClaimFacts } from './claim-facts.tsx';
import { CLAIM_KINDS, CLAIM_MARKS } from './claim-marks.ts';
import { canOpen, reportHash } from './report-hash.ts';
import { otherProblems, SOURCES } from './report-text.ts';

type Claim = CheckedClaimFragment;

interface Props {
  readonly claim: Claim;
  /** Position of the claim in the report, from 1. */
  readonly number: number;
  /** Index of the chat stage whose answer makes the claim; `null` if the report of the investigation makes it. */
  readonly answer?: number | null;
  /** True if the URL hash names the claim. */
  readonly highlighted: boolean;
}

/** Shows a claim, the result of its check, and links to its citations. */
export function ClaimItem({ claim, number, answer = null, highlighted }: Props) {
  const { kind, text, status, onlyUntrusted, facts, citations } = claim;
  const problem = otherProblems(claim);
  const mark = CLAIM_MARKS[status];
  const isUnsupported = status === 'UNSUPPORTED';
  return (
    <Box
      component="li"
      id={reportHash({ answer, claim: number, citation: null }).slice(1)}
      sx={[frame, isUnsupported && unsupported, highlighted && highlightedClaim]}
    >
      <Box
        sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1, fontSize: '0.8125rem' }}
      >
        {answer === null && !isUnsupported ? null : (
          <Box component="span" sx={{ fontWeight: 600, color: 'text.secondary' }}>
            {CLAIM_KINDS[kind]}
          </Box>
        )}
        {mark === null ? null : (
          <Box component="span" sx={[markBox, { color: mark.tone }]}>
            <mark.Icon sx={{ fontSize: 15 }} />
            {mark.label}
          </Box>
        )}
      </Box>
      <Box sx={{ overflowWrap: 'anywhere', fontStyle: isUnsupported ? 'italic' : undefined }}>{text}</Box>
      {facts.length === 0 ? null : <ClaimFacts claim={claim} number={number} answer={answer} />}
      {problem === null ? null : <Box sx={note}>{problem}</Box>}
      {onlyUntrusted ? <Box sx={note}>All evidence for this claim comes from untrusted tools.</Box> : null}
      {citations.length === 0 ? null : (
        <Box component="ul" aria-label="Citations" sx={cited}>
          {citations.map((citation, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a report never changes
            <li key={index}>
              <CitationLink
                citation={citation}
                hash={reportHash({ answer, claim: number, citation: index + 1 })}
              />
            </li>
          ))}
        </Box>
      )}
    </Box>
  );
}

function CitationLink({ citation, hash }: { citation: Claim['citations'][number]; hash: string }) {
  const { source, quote, status } = citation;
  const holds = status === 'HOLDS';
  const content = (
    <>
      <Box component="span" sx={{ fontWeight: 650 }}>
        {SOURCES[source] ?? source}
      </Box>{' '}
      <Box component="span" sx={{ textDecoration: holds ? undefined : 'line-through' }}>
        “{quote}”
      </Box>
      {holds ? null : (
        <Box component="span" sx={{ color: 'status.failed', fontWeight: 600 }}>
          {' '}
          not found
        </Box>
      )}
    </>
  );
  return canOpen(citation) ? (
    <Box component={Link} to={{ hash }} sx={citationLink}>
      {content}
    </Box>
  ) : (
    <Box sx={{ color: 'text.secondary' }}>{content}</Box>
  );
}

const frame = {
  breakInside: 'avoid',
  py: 1,
  px: 1.5,
  ml: -1.5,
  borderLeft: '3px solid transparent',
  scrollMarginTop: 120,
  '& + &': { borderTop: '1px solid', borderTopColor: 'divider' },
} as const;
// Marks an unsupported claim without relying on colour: the border is dashed, the text italic, and an icon is shown.
const unsupported = { borderLeft: '3px dashed', borderLeftColor: 'status.failed' } as const;
const highlightedClaim = {
  bgcolor: 'color-mix(in srgb, var(--mui-palette-primary-main) 8%, var(--mui-palette-background-paper))',
} as const;
const markBox = { display: 'inline-flex', alignItems: 'center', gap: 0.25, fontWeight: 650 } as const;
const note = { mt: 0.25, fontSize: '0.8125rem', color: 'text.secondary', overflowWrap: 'anywhere' } as const;
const cited = {
  m: 0,
  mt: 0.5,
  p: 0,
  listStyle: 'none',
  display: 'grid',
  gap: 0.25,
  fontSize: '0.8125rem',
  overflowWrap: 'anywhere',
  '& > li': { minWidth: 0 },
} as const;
const citationLink = {
  display: '-webkit-box',
  WebkitBoxOrient: 'vertical',
  WebkitLineClamp: 2,
  overflow: 'hidden',
  minHeight: 24,
  color: 'primary.main',
  textDecoration: 'none',
  '&:hover': { textDecoration: 'underline' },
  '@media print': { display: 'block' },
} as const;
