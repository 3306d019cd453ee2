import Box from '@mui/material/Box';
import type { AnswerClaimsFragment } from '../../graphql/gen/documents.ts';
import { useLocation, useNavigate } from '../../lib/router.tsx';
import { ClaimItem } from './claim-item.tsx';
import { EvidenceDialog } from './evidence-dialog.tsx';
import { canOpen, parseReportHash } from './report-hash.ts';
import { evidenceText } from './report-text.ts';

interface Props {
  readonly report: AnswerClaimsFragment;
  /** Index of the stage that answers the question. */
  readonly answer: number;
  /** The alert's text, which claims may cite. */
  readonly alert: string;
}

/** Shows the claims of an answer, each with the result of its check. */
export function AnswerClaims({ report, answer, alert }: Props) {
  const { claims } = report;
  const { hash } = useLocation();
  const navigate = useNavigate();
  const named = parseReportHash(hash);
  const position = named?.answer === answer ? named : null;
  const claim = position === null ? undefined : claims[position.claim - 1];
  const citation = position?.citation == null ? undefined : claim?.citations[position.citation - 1];
  if (claims.length === 0) return null;
  return (
    <Box component="section" aria-label="Checked claims of the answer" sx={frame}>
      <Box sx={{ fontSize: '0.75rem', color: 'text.secondary' }}>
        {evidenceText(report) ?? 'Checked claims:'}
      </Box>
      <Box component="ol" aria-label="Claims of the answer" sx={{ m: 0, p: 0, listStyle: 'none' }}>
        {claims.map((each, index) => (
          <ClaimItem
            key={each.id}
            claim={each}
            number={index + 1}
            answer={answer}
            highlighted={position?.claim === index + 1}
          />
        ))}
      </Box>
      {claim === undefined || citation === undefined || !canOpen(citation) ? null : (
        <EvidenceDialog
          key={hash}
          claim={claim}
          citation={citation}
          alert={alert}
          close={() => navigate({ hash: '' }, { replace: true })}
        />
      )}
    </Box>
  );
}

const frame = {
  mt: 1,
  // On a phone, the claims have the width of the answer.
  px: { xs: 0, sm: 1.5 },
  py: 0.5,
  fontSize: '0.875rem',
  border: { xs: 0, sm: '1px solid' },
  borderTop: '1px solid',
  borderColor: 'divider',
  borderRadius: { sm: 1 },
} as const;
