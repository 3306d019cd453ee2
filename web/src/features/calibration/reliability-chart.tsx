import Box from '@mui/material/Box';
import type { CalibrationRecordFragment } from '../../graphql/gen/documents.ts';
import { percent } from '../report/report-text.ts';

type Bucket = CalibrationRecordFragment['reliability'][number];

const SIZE = 320;
const LEFT = 46;
const BOTTOM = 40;
/** Room for half of the largest point. */
const TOP = 13;
const RIGHT = 13;
const x = (share: number): number => LEFT + share * (SIZE - LEFT - RIGHT);
const y = (share: number): number => SIZE - BOTTOM - share * (SIZE - TOP - BOTTOM);
const TICKS = [0, 0.2, 0.4, 0.6, 0.8, 1];
/** Returns the radius of a point, whose area grows with its reviews; `most` is the largest number of reviews. */
const radius = (reviewed: number, most: number): number => 4 + 8 * Math.sqrt(reviewed / most);

/** Shows the accuracy by confidence, as a chart and as a table. On the diagonal, confidence equals accuracy. */
export function ReliabilityChart({ buckets }: { buckets: readonly Bucket[] }) {
  const most = Math.max(...buckets.map(({ reviewed }) => reviewed));
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 3, alignItems: 'flex-start' }}>
      <Box sx={{ flex: '1 1 260px', maxWidth: 400 }}>
        <svg viewBox={`0 0 ${SIZE} ${SIZE}`} role="img" aria-labelledby="reliability-title" width="100%">
          <title id="reliability-title">
            {`Accuracy by confidence. ${buckets.map(sentenceOf).join(' ')}`}
          </title>
          {TICKS.map((tick) => (
            <g key={tick} fontSize={11} fill={TEXT}>
              <line x1={x(tick)} x2={x(tick)} y1={y(0)} y2={y(1)} stroke={GRID} />
              <line x1={x(0)} x2={x(1)} y1={y(tick)} y2={y(tick)} stroke={GRID} />
              <text x={x(tick)} y={y(0) + 15} textAnchor="middle">
                {tick * 100}
              </text>
              <text x={x(0) - 6} y={y(tick) + 4} textAnchor="end">
                {tick * 100}
              </text>
            </g>
          ))}
          <line x1={x(0)} y1={y(0)} x2={x(1)} y2={y(1)} stroke={TEXT} strokeDasharray="5 4" />
          <polyline points={buckets.map(pointOf).join(' ')} fill="none" stroke={LINE} strokeWidth={1.5} />
          {buckets.map((bucket) => (
            <circle
              key={bucket.from}
              cx={x(bucket.confidence)}
              cy={y(bucket.accuracy)}
              r={radius(bucket.reviewed, most)}
              fill={LINE}
              fillOpacity={0.75}
              stroke={LINE}
            />
          ))}
          <g fontSize={12} fill={TEXT} textAnchor="middle">
            <text x={x(0.5)} y={SIZE - 6}>
              Confidence, %
            </text>
            <text transform={`translate(12 ${y(0.5)}) rotate(-90)`}>Accuracy, %</text>
          </g>
        </svg>
        <Box sx={{ fontSize: '0.75rem', color: 'text.secondary' }}>
          Points on the dashed line are well calibrated. Points below it are overconfident. Larger points have
          more reviews.
        </Box>
      </Box>
      <Box component="table" sx={table}>
        <caption>By confidence</caption>
        <thead>
          <tr>
            <th scope="col">Confidence</th>
            <th scope="col">Reviewed</th>
            <th scope="col">Average confidence</th>
            <th scope="col">Accuracy</th>
          </tr>
        </thead>
        <tbody>
          {buckets.map(({ from, to, reviewed, confidence, accuracy }) => (
            <tr key={from}>
              <th scope="row">{`${Math.round(from * 100)} to ${percent(to)}`}</th>
              <td>{reviewed}</td>
              <td>{percent(confidence)}</td>
              <td>{percent(accuracy)}</td>
            </tr>
          ))}
        </tbody>
      </Box>
    </Box>
  );
}

const sentenceOf = ({ confidence, accuracy, reviewed }: Bucket): string =>
  `Confidence ${percent(confidence)}, accuracy ${percent(accuracy)}, ${reviewed} reviewed.`;
const pointOf = ({ confidence, accuracy }: Bucket): string => `${x(confidence)},${y(accuracy)}`;

const TEXT = 'var(--mui-palette-text-secondary)';
const GRID = 'var(--mui-palette-divider)';
const LINE = 'var(--mui-palette-primary-main)';

export const table = {
  borderCollapse: 'collapse',
  fontSize: '0.8125rem',
  fontVariantNumeric: 'tabular-nums',
  '& caption': { textAlign: 'left', color: 'text.secondary', pb: 0.5 },
  '& th, & td': { p: 0.75, textAlign: 'right', borderBottom: '1px solid', borderColor: 'divider' },
  '& th': { fontWeight: 600 },
  '& th:first-of-type': { textAlign: 'left', overflowWrap: 'anywhere', minWidth: 96 },
} as const;
