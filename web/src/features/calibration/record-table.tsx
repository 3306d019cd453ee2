import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import { narrowTable } from '../../components/narrow-table.ts';
import type { CalibrationQuery } from '../../graphql/gen/documents.ts';
import { Link as RouterLink } from '../../lib/router.tsx';
import { type CalibrationView, formatCalibration } from './calibration.ts';
import { table } from './reliability-chart.tsx';

interface Props {
  readonly records: CalibrationQuery['trackRecords'];
  readonly view: CalibrationView;
}

/** Lists the review results of each alert type and chain; each row links to its diagram. */
export function RecordTable({ records, view }: Props) {
  return (
    <Box sx={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-label="Table by alert type and chain">
      <Box component="table" sx={[table, { width: '100%' }, narrowTable]}>
        <thead>
          <tr>
            {['Alert type', 'Chain', 'Reviewed', 'Right', 'Partly', 'Wrong', 'Brier score'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {records.map(({ alertType, chainId, record }) => {
            const { chosen } = view;
            const isChosen = chosen?.alertType === alertType && chosen.chainId === chainId;
            const to = `?${formatCalibration({ ...view, chosen: { alertType, chainId } })}`;
            return (
              <Box component="tr" key={`${alertType}\n${chainId}`} sx={isChosen ? marked : undefined}>
                <th scope="row">
                  <Link component={RouterLink} to={to} aria-current={isChosen || undefined}>
                    {alertType}
                  </Link>
                </th>
                <td data-label="Chain">{chainId}</td>
                <td data-label="Reviewed">{record.reviewed}</td>
                <td data-label="Right">{shareOf(record.accurate, record.reviewed)}</td>
                <td data-label="Partly">{shareOf(record.partiallyAccurate, record.reviewed)}</td>
                <td data-label="Wrong">{shareOf(record.inaccurate, record.reviewed)}</td>
                <td data-label="Brier score">
                  {record.brierScore === null ? '–' : record.brierScore.toFixed(2)}
                </td>
              </Box>
            );
          })}
        </tbody>
      </Box>
    </Box>
  );
}

/** Formats `count` of `of` reviews as a percentage; below five reviews, as the count alone. */
function shareOf(count: number, of: number): string {
  return of < 5 ? `${count}` : `${Math.round((100 * count) / of)} %`;
}

const marked = { bgcolor: 'action.selected' } as const;
