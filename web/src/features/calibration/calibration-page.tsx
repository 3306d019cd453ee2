import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import Paper from '@mui/material/Paper';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useMemo } from 'react';
import { Page } from '../../components/app-shell.tsx';
import { Loading } from '../../components/loading.tsx';
import { filterField } from '../../components/multi-select.tsx';
import { EmptyNotice, ErrorNotice } from '../../components/notice.tsx';
import { PageHeading } from '../../components/page-heading.tsx';
import type { CalibrationRecordFragment } from '../../graphql/gen/documents.ts';
import { CalibrationDocument } from '../../graphql/gen/lazy-documents.ts';
import { useQuery } from '../../graphql/use-query.ts';
import { Link, useSearchParams } from '../../lib/router.tsx';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { percent } from '../report/report-text.ts';
import { REVIEW_PAGES } from '../review/review-labels.ts';
import {
  accuracyOf,
  baseScore,
  formatCalibration,
  parseCalibration,
  SPANS,
  type Span,
  sinceOf,
} from './calibration.ts';
import { RecordTable } from './record-table.tsx';
import { ReliabilityChart } from './reliability-chart.tsx';

/** Shows how well the confidence of investigations matches their reviews. */
export default function CalibrationPage() {
  useDocumentTitle('Calibration');
  const [params, setParams] = useSearchParams();
  const view = useMemo(() => parseCalibration(params), [params]);
  const { span, chosen } = view;
  const [{ data, error }, refetch] = useQuery({
    query: CalibrationDocument,
    variables: { since: sinceOf(view, Date.now()) },
    requestPolicy: 'cache-and-network',
  });
  const own = data?.trackRecords.find(
    ({ alertType, chainId }) => alertType === chosen?.alertType && chainId === chosen.chainId,
  );
  return (
    <Page>
      <PageHeading title="Calibration" label="Review" links={REVIEW_PAGES} />
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mb: 2 }}>
        <TextField
          select
          label="Submitted"
          value={span ?? ''}
          onChange={(event) => {
            const wanted = (event.target.value || null) as Span | null;
            setParams((now) => formatCalibration({ ...parseCalibration(now), span: wanted }), {});
          }}
          sx={[filterField, { width: { xs: '100%', md: 180 } }]}
        >
          <MenuItem dense value="">
            Any time
          </MenuItem>
          {Object.entries(SPANS).map(([value, { label }]) => (
            <MenuItem dense key={value} value={value}>
              {label}
            </MenuItem>
          ))}
        </TextField>
      </Box>
      {error === undefined ? null : (
        <Box sx={{ mb: 2 }}>
          <ErrorNotice
            what="Could not load calibration data."
            error={error}
            retry={() => refetch({ requestPolicy: 'network-only' })}
          />
        </Box>
      )}
      {data === undefined ? (
        error === undefined ? (
          <Loading label="Loading calibration data" shape="charts" />
        ) : null
      ) : data.trackRecord.reviewed === 0 ? (
        <Paper>
          <EmptyNotice title="No rated reports yet">
            <Box sx={{ mb: 2 }}>
              Rate reports on the review board to see how well the model’s confidence matches their accuracy.
            </Box>
            <Button component={Link} to="/review" variant="outlined">
              Open the review board
            </Button>
          </EmptyNotice>
        </Paper>
      ) : (
        <>
          <Record
            title={own === undefined ? 'All investigations' : `${own.alertType}, ${own.chainId}`}
            record={own?.record ?? data.trackRecord}
            all={own === undefined ? null : `?${formatCalibration({ span, chosen: null })}`}
          />
          <Paper component="section" aria-labelledby="records" sx={{ p: { xs: 1.5, sm: 2 } }}>
            <Typography id="records" variant="h2" sx={{ mb: 1 }}>
              By alert type and chain
            </Typography>
            <RecordTable records={data.trackRecords} view={view} />
            <Box sx={note}>
              Includes only rated reports. Rating only suspicious reports makes accuracy look worse than it
              is.
            </Box>
          </Paper>
        </>
      )}
    </Page>
  );
}

interface RecordProps {
  readonly title: string;
  readonly record: CalibrationRecordFragment;
  /** URL that shows the record of all investigations; `null` if `record` is already the record of all. */
  readonly all: string | null;
}

function Record({ title, record, all }: RecordProps) {
  const { reviewed, accurate, partiallyAccurate, inaccurate, brierScore, reliability } = record;
  const base = baseScore(record);
  const right = accuracyOf(record);
  return (
    <Paper component="section" aria-labelledby="record" sx={{ p: { xs: 1.5, sm: 2 }, mb: 2 }}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'baseline', columnGap: 2 }}>
        <Typography id="record" variant="h2" sx={{ overflowWrap: 'anywhere' }}>
          {title}
        </Typography>
        {all === null ? null : (
          <Button component={Link} to={all}>
            Show all
          </Button>
        )}
      </Box>
      <Box sx={{ my: 1 }}>
        {reviewed} reviewed: {accurate} right, {partiallyAccurate} partly right, {inaccurate} wrong
        {right === null ? '' : ` (accuracy ${percent(right)})`}.{' '}
        {brierScore === null ? (
          'A Brier score needs at least five reviews.'
        ) : (
          <>
            Brier score <b>{brierScore.toFixed(2)}</b> (0 is best). Constant confidence equal to the accuracy
            would score {base?.toFixed(2)}.
          </>
        )}
      </Box>
      {reliability.length === 0 ? null : <ReliabilityChart buckets={reliability} />}
    </Paper>
  );
}

const note = { mt: 1, fontSize: '0.75rem', color: 'text.secondary' } as const;
