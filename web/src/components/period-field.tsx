import Box from '@mui/material/Box';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { type Period, WITHIN, type Within } from '../lib/within.ts';
import { filterField } from './many-of.tsx';
import { MomentField } from './moment-field.tsx';

interface Props {
  readonly label: string;
  readonly value: Period;
  readonly change: (period: Partial<Period>) => void;
}

/** Within the last so and so long, or between two moments. */
export function PeriodField({ label, value, change }: Props) {
  const [custom, setCustom] = useState(false);
  const between = custom || value.from !== null || value.to !== null;
  const choose = (chosen: string): void => {
    setCustom(chosen === 'custom');
    if (chosen === 'custom') change({ within: null });
    else change({ within: chosen === '' ? null : (chosen as Within), from: null, to: null });
  };
  return (
    <>
      <TextField
        select
        label={label}
        value={between ? 'custom' : (value.within ?? '')}
        onChange={(event) => choose(event.target.value)}
        sx={filterField}
      >
        <MenuItem dense value="">
          Any time
        </MenuItem>
        {Object.entries(WITHIN).map(([key, { label: name }]) => (
          <MenuItem dense key={key} value={key}>
            {name}
          </MenuItem>
        ))}
        <MenuItem dense value="custom">
          Between…
        </MenuItem>
      </TextField>
      {between ? (
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, gridColumn: '1 / -1' }}>
          <MomentField label="From" value={value.from} change={(from) => change({ from, within: null })} />
          <MomentField label="To" value={value.to} change={(to) => change({ to, within: null })} />
        </Box>
      ) : null}
    </>
  );
}
