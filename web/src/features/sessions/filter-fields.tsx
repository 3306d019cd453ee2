import Box from '@mui/material/Box';
import ListItemText from '@mui/material/ListItemText';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { CheckIcon } from '../../components/icons.tsx';
import type { FilterOptionsQuery, SessionStatus } from '../../graphql/gen/documents.ts';
import { fromInput, toInput } from '../../lib/datetime-input.ts';
import { useTimeZone } from '../../lib/time-zone.ts';
import { statusLook } from '../../theme.ts';
import { FINISHED, WITHIN, type Within } from './list-view.ts';
import type { ListViewState } from './use-list-view.ts';

interface Props {
  readonly list: ListViewState;
  /** Undefined while they are not known: only what is chosen is offered then. */
  readonly options: FilterOptionsQuery['sessionFilterOptions'] | undefined;
}

/** The conditions besides the search. */
export function FilterFields({ list: { view, change }, options }: Props) {
  return (
    <>
      <ManyOf
        label="Status"
        values={view.status}
        options={FINISHED}
        name={(status) => statusLook[status as SessionStatus].label}
        change={(status) => change({ status: status as SessionStatus[] })}
      />
      <ManyOf
        label="Type"
        values={view.alertType}
        options={options?.alertTypes}
        change={(alertType) => change({ alertType })}
      />
      <ManyOf
        label="Chain"
        values={view.chainId}
        options={options?.chainIds}
        change={(chainId) => change({ chainId })}
      />
      <ManyOf
        label="Author"
        values={view.author}
        options={options?.authors}
        change={(author) => change({ author })}
      />
      <Submitted list={{ view, change }} />
    </>
  );
}

interface ManyProps {
  readonly label: string;
  readonly values: readonly string[];
  readonly options: readonly string[] | undefined;
  readonly name?: (value: string) => string;
  readonly change: (values: string[]) => void;
}

function ManyOf({ label, values, options, name = (value) => value, change }: ManyProps) {
  // What is chosen is offered even where no session has it any more: it must be possible to take it away.
  const all = [...new Set([...(options ?? []), ...values])];
  return (
    <TextField
      select
      label={label}
      value={values}
      disabled={all.length === 0}
      onChange={(event) => change(event.target.value as unknown as string[])}
      sx={field}
      slotProps={{
        select: {
          multiple: true,
          renderValue: () => (values.length === 1 ? name(values[0]!) : `${values.length} chosen`),
          MenuProps: { slotProps: { paper: { sx: { maxHeight: 420 } } } },
        },
      }}
    >
      {all.map((value) => (
        <MenuItem key={value} value={value} dense sx={{ gap: 1 }}>
          <CheckIcon sx={{ fontSize: 16, visibility: values.includes(value) ? 'visible' : 'hidden' }} />
          <ListItemText primary={name(value)} sx={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }} />
        </MenuItem>
      ))}
    </TextField>
  );
}

/** Within the last so and so long, or between two moments. */
function Submitted({ list: { view, change } }: { list: ListViewState }) {
  const [custom, setCustom] = useState(false);
  const between = custom || view.from !== null || view.to !== null;
  const choose = (value: string): void => {
    setCustom(value === 'custom');
    if (value === 'custom') change({ within: null });
    else change({ within: value === '' ? null : (value as Within), from: null, to: null });
  };
  return (
    <>
      <TextField
        select
        label="Submitted"
        value={between ? 'custom' : (view.within ?? '')}
        onChange={(event) => choose(event.target.value)}
        sx={field}
      >
        <MenuItem dense value="">
          Any time
        </MenuItem>
        {Object.entries(WITHIN).map(([key, { label }]) => (
          <MenuItem dense key={key} value={key}>
            {label}
          </MenuItem>
        ))}
        <MenuItem dense value="custom">
          Between…
        </MenuItem>
      </TextField>
      {between ? (
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, gridColumn: '1 / -1' }}>
          <Moment label="From" value={view.from} change={(from) => change({ from, within: null })} />
          <Moment label="To" value={view.to} change={(to) => change({ to, within: null })} />
        </Box>
      ) : null}
    </>
  );
}

function Moment(props: { label: string; value: string | null; change: (value: string | null) => void }) {
  const zone = useTimeZone();
  return (
    <TextField
      type="datetime-local"
      label={`${props.label} (${zone === 'utc' ? 'UTC' : 'local time'})`}
      value={toInput(props.value, zone)}
      onChange={(event) => props.change(fromInput(event.target.value, zone))}
      sx={{ width: { xs: '100%', sm: 210 } }}
      slotProps={{ inputLabel: { shrink: true } }}
    />
  );
}

const field = { width: { xs: '100%', md: 128 } } as const;
