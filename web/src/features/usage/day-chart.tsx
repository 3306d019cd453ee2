import Box from '@mui/material/Box';
import { useId } from 'react';
import { visuallyHidden } from '../../lib/visually-hidden.ts';

export interface DayValue {
  readonly day: string;
  readonly value: number;
}

interface Props {
  readonly title: string;
  readonly days: readonly DayValue[];
  readonly format: (value: number) => string;
}

const HEIGHT = 120;
/** Width of a day and of its bar, in units of the SVG. */
const STEP = 10;
const BAR = 8;

/** A bar chart by day, with a table for screen readers. */
export function DayChart({ title, days, format }: Props) {
  const id = useId();
  const top = Math.max(...days.map(({ value }) => value));
  const highest = days.find(({ value }) => value === top)!;
  const first = days[0]!.day;
  const last = days.at(-1)!.day;
  const summary = top === 0 ? 'none' : `maximum ${format(top)} on ${highest.day}, from ${first} to ${last}`;
  return (
    <Box component="figure" sx={{ m: 0, position: 'relative' }}>
      <Box sx={{ display: 'flex', justifyContent: 'space-between', ...small }}>
        <span>{title}</span>
        <span>{format(top)}</span>
      </Box>
      <svg
        role="img"
        aria-labelledby={id}
        viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        style={{ display: 'block', width: '100%', height: HEIGHT }}
      >
        <title id={id}>{`${title}: ${summary}`}</title>
        {days.map(({ day, value }, n) => (
          <g key={day}>
            <title>{`${day}: ${format(value)}`}</title>
            <rect x={n * STEP} y={0} width={STEP} height={HEIGHT} fill="transparent" />
            <rect
              x={n * STEP + (STEP - BAR) / 2}
              y={HEIGHT - heightOf(value, top)}
              width={BAR}
              height={heightOf(value, top)}
              fill="var(--mui-palette-primary-main)"
            />
          </g>
        ))}
      </svg>
      <Box
        sx={{
          ...small,
          display: 'flex',
          justifyContent: 'space-between',
          borderTop: 1,
          borderColor: 'divider',
        }}
      >
        <span>{first}</span>
        {days.length > 1 ? <span>{last}</span> : null}
      </Box>
      <Box sx={visuallyHidden}>
        <table>
          <caption>{title}</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">{title}</th>
            </tr>
          </thead>
          <tbody>
            {days.map(({ day, value }) => (
              <tr key={day}>
                <th scope="row">{day}</th>
                <td>{format(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Box>
    </Box>
  );
}

/** Returns the height of a bar; a value above 0 stays visible. */
function heightOf(value: number, top: number): number {
  return value === 0 ? 0 : Math.max(2, (value / top) * HEIGHT);
}

const small = { fontSize: '0.75rem', color: 'text.secondary', fontVariantNumeric: 'tabular-nums' } as const;
