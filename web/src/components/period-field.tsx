import Box from '@mui/material/Box';
import { lazy, Suspense, useState } from 'react';
import { type Period, WITHIN, type Within } from '../lib/period.ts';
import { ChoiceField } from './choice-field.tsx';

const DateTimeField = lazy(async () => ({ default: (await import('./date-time-field.tsx')).DateTimeField }));

interface Props {
  readonly label: string;
  readonly value: Period;
  readonly change: (period: Partial<Period>) => void;
}

const CHOICES = [
  { value: '', name: 'Any time' },
  ...Object.entries(WITHIN).map(([value, { label: name }]) => ({ value, name })),
  { value: 'custom', name: 'Between…' },
];

export function PeriodField({ label, value, change }: Props) {
  const [custom, setCustom] = useState(false);
  const between = custom || value.from !== null || value.to !== null;
  const choose = (chosen: string): void => {
    setCustom(chosen === 'custom');
    if (chosen === 'custom') change({ within: null });
    else change({ within: chosen === '' ? null : (chosen as Within), from: null, to: null });
  };
  const chosen = between ? 'custom' : (value.within ?? '');
  return (
    <>
      <ChoiceField
        label={label}
        choices={CHOICES}
        chosen={[chosen]}
        {...(chosen === '' ? { valueText: '' } : {})}
        change={([one]) => choose(one ?? '')}
      />
      {between ? (
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, gridColumn: '1 / -1', minHeight: 38 }}>
          <Suspense>
            <DateTimeField
              label="From"
              value={value.from}
              change={(from) => change({ from, within: null })}
            />
            <DateTimeField label="To" value={value.to} change={(to) => change({ to, within: null })} />
          </Suspense>
        </Box>
      ) : null}
    </>
  );
}
