import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { CostText } from '../../components/cost-text.tsx';
import { DownloadIcon } from '../../components/icons.tsx';
import { narrowTable } from '../../components/narrow-table.ts';
import type { UsageFiguresFragment } from '../../graphql/gen/documents.ts';
import { formatCount } from '../../lib/format.ts';
import { saveFile } from '../../lib/save-file.ts';
import { usageCsv } from './usage-csv.ts';
import { DIMENSIONS, daysOf, type UsageView } from './usage-view.ts';

interface Props {
  readonly view: UsageView;
  readonly rows: readonly UsageFiguresFragment[];
  readonly total: UsageFiguresFragment;
}

/** Usage by the chosen dimension, with a bar for each share. */
export function UsageTable({ view, rows, total }: Props) {
  const name = DIMENSIONS[view.by];
  const save = (): void => {
    const days = daysOf(view, Date.now());
    saveFile(usageCsv(name, rows), `tarsy-usage-${days[0]}-${days.at(-1)}.csv`, 'text/csv');
  };
  return (
    <Paper component="section" aria-labelledby="usage-rows">
      <Box sx={{ display: 'flex', alignItems: 'center', px: 1.5, pt: 1 }}>
        <Typography variant="h2" id="usage-rows" sx={{ flex: 1 }}>
          By {name.toLowerCase()}
        </Typography>
        <Button color="inherit" startIcon={<DownloadIcon />} onClick={save}>
          CSV
        </Button>
      </Box>
      <Box sx={scroll} role="region" aria-label={`Table by ${name.toLowerCase()}`} tabIndex={0}>
        <Box component="table" sx={[table, narrowTable]}>
          <thead>
            <tr>
              {[name, 'Cost', 'Sessions', 'Calls', 'Tokens'].map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.key}>
                <th scope="row">
                  <Box sx={{ overflowWrap: 'anywhere' }}>{row.key === '' ? 'none' : row.key}</Box>
                  <ShareBar share={shareOf(row, total)} />
                </th>
                <td data-label="Cost">
                  <CostText cost={row.cost} />
                </td>
                <td data-label="Sessions">{row.sessions.toLocaleString('en')}</td>
                <td data-label="Calls">{row.calls.toLocaleString('en')}</td>
                <td data-label="Tokens">{formatCount(row.tokens.totalTokens)}</td>
              </tr>
            ))}
          </tbody>
        </Box>
      </Box>
    </Paper>
  );
}

/** Returns a row's share (0–1) of the cost, or of the tokens if the total cost is 0. */
function shareOf(row: UsageFiguresFragment, total: UsageFiguresFragment): number {
  if (total.cost.usd > 0) return row.cost.usd / total.cost.usd;
  return total.tokens.totalTokens === 0 ? 0 : row.tokens.totalTokens / total.tokens.totalTokens;
}

function ShareBar({ share }: { share: number }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 100 4"
      preserveAspectRatio="none"
      style={{ display: 'block', width: '100%', height: 4, marginTop: 3 }}
    >
      <rect width="100" height="4" fill="var(--mui-palette-well)" />
      <rect width={100 * share} height="4" fill="var(--mui-palette-primary-main)" />
    </svg>
  );
}

const scroll = { overflowX: 'auto' } as const;
const table = {
  width: '100%',
  borderCollapse: 'collapse',
  fontSize: '0.875rem',
  fontVariantNumeric: 'tabular-nums',
  '& th, & td': { px: 1.5, py: 0.75, textAlign: 'right', whiteSpace: 'nowrap', verticalAlign: 'top' },
  '& th:first-of-type': {
    textAlign: 'left',
    width: '50%',
    minWidth: 140,
    whiteSpace: 'normal',
    fontWeight: 600,
  },
  '& thead th': { fontSize: '0.75rem', fontWeight: 600, color: 'text.secondary' },
  '& tbody tr': { borderTop: 1, borderColor: 'divider' },
} as const;
