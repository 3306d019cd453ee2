import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { AiMark } from '../../components/ai-mark.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Markdown } from '../../components/markdown.tsx';
import type { TimelineItemFragment } from '../../graphql/gen/documents.ts';
import type { Citation } from '../../lib/citations.ts';
import { ReportCard } from '../report/report-card.tsx';
import { useCitations } from '../timeline/grounding.ts';
import { HealthStrip } from './health-strip.tsx';
import type { SessionDetail } from './session-detail.ts';

function Conclusion(props: {
  title: string;
  text: string;
  strong?: boolean;
  citations?: readonly Citation[];
}) {
  const { title, text, strong = false, citations } = props;
  return (
    <Paper
      component="section"
      aria-label={title}
      sx={{ mb: 2, borderLeft: '3px solid', borderLeftColor: strong ? 'status.done' : 'primary.main' }}
    >
      <Box sx={{ display: 'flex', alignItems: 'center', px: 2, pt: 1 }}>
        <Typography variant="h2" sx={{ mr: 1 }}>
          {title}
        </Typography>
        <AiMark />
        <Box sx={{ flex: 1 }} />
        <CopyButton label={`Copy ${title.toLowerCase()}`} text={() => text} />
      </Box>
      <Box sx={{ px: 2, pb: 2, pt: 0.5, fontSize: '0.9375rem' }}>
        <Markdown text={text} citations={citations} />
      </Box>
    </Paper>
  );
}

/**
 * Shows the outcome of an ended investigation and the evidence behind it. The outcome comes first, on phones too.
 */
export function Conclusions(props: {
  session: SessionDetail;
  /** The timeline item with the web sources of the final analysis. */
  grounding: TimelineItemFragment | null;
}) {
  const { status, errorMessage, cancelReason, labels, report, health, alertData } = props.session;
  const { executiveSummary, executiveSummaryError, finalAnalysis } = props.session;
  const citations = useCitations(finalAnalysis, props.grounding?.metadata);
  const basis = <HealthStrip health={health} concluded={status === 'COMPLETED'} />;
  return (
    <>
      {errorMessage === null || status === 'CANCELLED' ? null : (
        <Alert severity={status === 'FAILED' ? 'error' : 'warning'} variant="outlined" sx={failure}>
          {errorMessage}
        </Alert>
      )}
      {status !== 'CANCELLED' || cancelReason === null ? null : (
        <Alert severity="info" variant="outlined" sx={failure}>
          Cancelled: {cancelReason}
        </Alert>
      )}
      {report === null ? (
        <Box sx={{ mb: 2 }}>{basis}</Box>
      ) : (
        <ReportCard report={report} labels={labels} alert={alertData} basis={basis} />
      )}
      {report !== null || health.reportProblem === null ? null : (
        <Box sx={{ mb: 2, color: 'text.secondary', fontSize: '0.8125rem' }}>
          No report: {health.reportProblem}
        </Box>
      )}
      {executiveSummary === null ? null : (
        <Conclusion strong title="Executive summary" text={executiveSummary} />
      )}
      {executiveSummaryError === null || executiveSummary !== null ? null : (
        <Box sx={{ mb: 2, color: 'text.secondary', fontSize: '0.8125rem' }}>
          No executive summary: {executiveSummaryError}
        </Box>
      )}
      {finalAnalysis === null ? null : (
        <Conclusion title="Final analysis" text={finalAnalysis} citations={citations} />
      )}
    </>
  );
}

const failure = { mb: 2, overflowWrap: 'anywhere' } as const;
