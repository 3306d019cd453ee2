import Box from '@mui/material/Box';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import type { UsageDimension } from '../../graphql/gen/documents.ts';
import { DIMENSIONS, fits, SPANS, type Span, type UsageView } from './usage-view.ts';

interface Props {
  readonly view: UsageView;
  readonly days: readonly string[];
  readonly change: (part: Partial<UsageView>) => void;
}

export function UsageFilters({ view, days, change }: Props) {
  const between = view.span === null;
  const choose = (chosen: string): void => {
    if (chosen === 'between') change({ span: null, from: days[0]!, to: days.at(-1)! });
    else change({ span: chosen as Span, from: null, to: null });
  };
  return (
    <Box component="search" aria-label="Usage filters" sx={row}>
      <TextField
        select
        label="Time"
        value={view.span ?? 'between'}
        onChange={(event) => choose(event.target.value)}
        sx={field}
      >
        {Object.entries(SPANS).map(([key, name]) => (
          <MenuItem dense key={key} value={key}>
            {name}
          </MenuItem>
        ))}
        <MenuItem dense value="between">
          Between…
        </MenuItem>
      </TextField>
      {between ? <Between view={view} change={change} /> : null}
      <TextField
        select
        label="Group by"
        value={view.by}
        onChange={(event) => change({ by: event.target.value as UsageDimension })}
        sx={field}
      >
        {Object.entries(DIMENSIONS).map(([key, name]) => (
          <MenuItem dense key={key} value={key}>
            {name}
          </MenuItem>
        ))}
      </TextField>
    </Box>
  );
}

/** Chooses the first and last day; an invalid range is not applied. */
function Between({ view, change }: Pick<Props, 'view' | 'change'>) {
  const [draft, setDraft] = useState({ of: view, from: view.from ?? '', to: view.to ?? '' });
  // The URL determines the days, except for input that the viewer has typed since.
  const { from, to } = draft.of === view ? draft : { from: view.from ?? '', to: view.to ?? '' };
  const isWrong = !fits(from, to);
  const set = (first: string, last: string): void => {
    setDraft({ of: view, from: first, to: last });
    if (fits(first, last)) change({ from: first, to: last });
  };
  return (
    <>
      <TextField
        {...day}
        label="First day (UTC)"
        value={from}
        error={isWrong}
        helperText={isWrong ? 'Up to 400 days before the last day' : undefined}
        onChange={(event) => set(event.target.value, to)}
        sx={field}
      />
      <TextField
        {...day}
        label="Last day (UTC)"
        value={to}
        onChange={(event) => set(from, event.target.value)}
        sx={field}
      />
    </>
  );
}

const day = { type: 'date', slotProps: { inputLabel: { shrink: true } } } as const;
const row = { display: 'flex', flexWrap: 'wrap', columnGap: 1, rowGap: 1.5, mb: 2 } as const;
const field = { width: { xs: '100%', sm: 160 } } as const;
