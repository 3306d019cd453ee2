import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { type ReactNode, useContext, useEffect } from 'react';
import { AiMark, RulesContext } from '../../components/ai-mark.tsx';
import { Labels } from '../../components/labels.tsx';
import type { SessionReportFragment } from '../../graphql/gen/documents.ts';
import { useLocation, useNavigate } from '../../lib/router.tsx';
import { ClaimItem } from './claim-item.tsx';
import { type ClaimSection, claimSections } from './claim-sections.ts';
import { EvidenceDialog } from './evidence-dialog.tsx';
import { canOpen, parseReportHash } from './report-hash.ts';
import { evidenceText, percent, trackRecordText } from './report-text.ts';
import { VERDICTS, VerdictChip } from './verdict.tsx';

interface Props {
  readonly report: SessionReportFragment;
  readonly labels: readonly string[];
  /** The alert's text, which claims may cite. */
  readonly alert: string;
  /** Evidence as counted by the server, not reported by the model. */
  readonly basis: ReactNode;
}

/** Id of the element with the verdict. */
export const VERDICT_ID = 'verdict';

/** Shows the verdict of an investigation, its confidence and its checked claims. */
export function ReportCard({ report, labels, alert, basis }: Props) {
  const { verdict, headline, confidence, entities, claims, agreement, trackRecord } = report;
  const position = useClaimOfHash();
  const navigate = useNavigate();
  const claim = position === null ? undefined : claims[position.claim - 1];
  const citation = position?.citation == null ? undefined : claim?.citations[position.citation - 1];
  const evidence = evidenceText(report);
  const byRules = useContext(RulesContext);
  const stated = agreement === null ? 'Model’s confidence' : 'Confidence';
  const sections = claimSections(claims, verdict);
  return (
    <Paper
      component="section"
      aria-label="Verdict"
      sx={{ mb: 2, borderLeft: '4px solid', borderLeftColor: `status.${VERDICTS[verdict].tone}` }}
    >
      <Box sx={{ p: { xs: 1.5, sm: 2 } }}>
        <Box id={VERDICT_ID} sx={head}>
          <VerdictChip verdict={verdict} />
          <Typography variant="h2" sx={{ fontSize: '1.125rem', minWidth: 0, overflowWrap: 'anywhere' }}>
            {headline}
          </Typography>
          <AiMark />
        </Box>
        {entities.length === 0 ? null : (
          <Box sx={{ color: 'text.secondary', fontSize: '0.875rem', overflowWrap: 'anywhere' }}>
            {entities.join(' · ')}
          </Box>
        )}
        <Labels labels={labels} />
        <Box sx={{ mt: 1 }}>{basis}</Box>
        {sections.first.map((section) => (
          <Claims key={section.title} section={section} highlighted={position?.claim} />
        ))}
        <Box component="dl" sx={figures}>
          <dt>{byRules ? 'Confidence by rule' : stated}</dt>
          <dd>
            <b>{percent(confidence)}</b>.{' '}
            {byRules ? 'No language model took part.' : trackRecordText(trackRecord)}
          </dd>
          {agreement === null ? null : (
            <>
              <dt>Agreement</dt>
              <dd>
                {agreement.agreeing} of {agreement.runs} runs agree on the cause.
              </dd>
            </>
          )}
          <dt>Evidence</dt>
          <dd>{evidence ?? 'The report states no cause or observation to check.'}</dd>
        </Box>
        {sections.proof.map((section) => (
          <Claims key={section.title} section={section} highlighted={position?.claim} />
        ))}
        <Box sx={{ mt: 1, fontSize: '0.75rem', color: 'text.secondary' }}>
          TARSy checks each quote and fact against the tool outputs. “Supported” means that the outputs
          contain all facts of the claim, not that the claim is true.
        </Box>
      </Box>
      {claim === undefined || citation === undefined || !canOpen(citation) ? null : (
        <EvidenceDialog
          key={`${position?.claim} ${position?.citation}`}
          claim={claim}
          citation={citation}
          alert={alert}
          close={() => navigate({ hash: '' }, { replace: true })}
        />
      )}
    </Paper>
  );
}

interface ClaimsProps {
  readonly section: ClaimSection;
  /** Number of the claim that the URL hash names; undefined if none. */
  readonly highlighted: number | undefined;
}

function Claims({ section: { title, empty, claims }, highlighted }: ClaimsProps) {
  return (
    <Box component="section" aria-label={title} sx={{ mt: 1.5 }}>
      <Typography variant="h3" sx={{ color: 'text.secondary' }}>
        {title}
      </Typography>
      {claims.length === 0 ? (
        <Box sx={{ color: 'text.secondary', fontSize: '0.875rem' }}>{empty}</Box>
      ) : (
        <Box component="ol" aria-label={title} sx={{ m: 0, p: 0, listStyle: 'none' }}>
          {claims.map(({ claim, number }) => (
            <ClaimItem key={claim.id} claim={claim} number={number} highlighted={highlighted === number} />
          ))}
        </Box>
      )}
    </Box>
  );
}

/** Returns the position of the claim that the URL hash names (`null` if none), and scrolls the claim into view. */
function useClaimOfHash() {
  const { hash } = useLocation();
  const named = parseReportHash(hash);
  const position = named?.answer === null ? named : null;
  const claim = position?.claim;
  useEffect(() => {
    if (claim !== undefined) document.getElementById(`claim-${claim}`)?.scrollIntoView({ block: 'nearest' });
  }, [claim]);
  return position;
}

const head = {
  display: 'flex',
  flexWrap: { xs: 'wrap', sm: 'nowrap' },
  alignItems: 'center',
  gap: 1,
} as const;

const figures = {
  m: 0,
  mt: 1,
  display: 'grid',
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: 'auto minmax(0, 1fr)' },
  columnGap: 2,
  rowGap: 0.25,
  fontSize: '0.875rem',
  '& dt': { color: 'text.secondary' },
  '& dd': { m: 0 },
} as const;
