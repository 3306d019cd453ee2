import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useMutation } from 'urql';
import { ActionButton } from '../../components/action-button.tsx';
import { AiMark } from '../../components/ai-mark.tsx';
import { Disclosure } from '../../components/disclosure.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { refusalText } from '../../components/notice.tsx';
import { Ago } from '../../components/time.tsx';
import type { SessionScoreFragment } from '../../graphql/gen/documents.ts';
import { ScoreSessionDocument } from '../../graphql/gen/lazy-documents.ts';
import { dimensionsOf, tagLabel } from './score-labels.ts';

interface Props {
  readonly sessionId: string;
  readonly score: SessionScoreFragment | null;
}

/** Shows the judge's score of an investigation. A score is a model's opinion, neither a verification nor a review. */
export function ScoreCard({ sessionId, score }: Props) {
  const [{ fetching, data, error }, requestScore] = useMutation(ScoreSessionDocument);
  const result = data?.scoreSession;
  const refusal = refusalText(result, error);
  const isRunning = score?.status === 'PENDING' || score?.status === 'IN_PROGRESS';
  return (
    <Paper
      component="section"
      aria-label="AI quality score"
      sx={[{ p: { xs: 1.5, sm: 2 }, mb: 2 }, score === null && { displayPrint: 'none' }]}
    >
      <Box sx={row}>
        <Typography variant="h2">AI quality score</Typography>
        <AiMark />
        <Box sx={{ flex: 1 }} />
        {isRunning ? null : (
          <ActionButton
            needs="REVIEW"
            loading={fetching}
            onClick={() => void requestScore({ id: sessionId })}
          >
            {score === null ? 'Score now' : 'Score again'}
          </ActionButton>
        )}
      </Box>
      <Box aria-live="polite">
        {refusal === undefined ? null : (
          <Alert severity="warning" sx={{ mt: 1 }}>
            {refusal}
          </Alert>
        )}
        {score === null ? (
          <Box sx={secondary}>
            Let a model rate the quality of this investigation. TARSy does not verify the score.
          </Box>
        ) : isRunning ? (
          <Box sx={secondary}>Scoring this investigation…</Box>
        ) : score.status === 'FAILED' ? (
          <Box sx={[secondary, { overflowWrap: 'anywhere' }]}>Scoring failed: {score.errorMessage}</Box>
        ) : (
          <Opinion score={score} />
        )}
      </Box>
    </Paper>
  );
}

function Opinion({ score }: { score: SessionScoreFragment }) {
  const { total, failureTags, analysis, toolReport, dimensions, model, completedAt } = score;
  return (
    <>
      <Box sx={[row, { mt: 1, overflowWrap: 'anywhere' }]}>
        <Box>
          <b>{total} of 100</b>, scored by {model ?? 'a model'}
          {completedAt === null ? null : (
            <>
              , <Ago time={completedAt} />
            </>
          )}
        </Box>
        {failureTags.map((tag) => (
          <Chip key={tag} size="small" variant="outlined" label={tagLabel(tag)} />
        ))}
      </Box>
      {analysis === null ? null : <Markdown text={analysis} />}
      <Disclosure summary="Score details">
        <Box component="dl" sx={dimensionList}>
          {dimensionsOf(dimensions).map(({ name, label, points, reason }) => (
            <Box key={name} sx={{ display: 'contents' }}>
              <dt>
                {label}: {points}
              </dt>
              <dd>{reason}</dd>
            </Box>
          ))}
        </Box>
      </Disclosure>
      {toolReport === null ? null : (
        <Disclosure summary="Tool report">
          <Markdown text={toolReport} />
        </Disclosure>
      )}
    </>
  );
}

const row = { display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 } as const;
const secondary = { mt: 1, color: 'text.secondary', fontSize: '0.875rem' } as const;
const dimensionList = {
  m: 0,
  display: 'grid',
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: 'auto minmax(0, 1fr)' },
  columnGap: 2,
  rowGap: 0.5,
  fontSize: '0.875rem',
  overflowWrap: 'anywhere',
  '& dt': { color: 'text.secondary' },
  '& dd': { m: 0, whiteSpace: 'pre-wrap' },
} as const;
