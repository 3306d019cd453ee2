import ListItemText from '@mui/material/ListItemText';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { CheckIcon } from './icons.tsx';

interface Props {
  readonly label: string;
  readonly values: readonly string[];
  /** Undefined while they are not known: only what is chosen is offered then. */
  readonly options: readonly string[] | undefined;
  readonly name?: (value: string) => string;
  readonly change: (values: string[]) => void;
}

/** A condition that any of the chosen values fulfils. */
export function ManyOf({ label, values, options, name = (value) => value, change }: Props) {
  // What is chosen is offered even where nothing has it any more: it must be possible to take it away.
  const all = [...new Set([...(options ?? []), ...values])];
  return (
    <TextField
      select
      label={label}
      value={values}
      disabled={all.length === 0}
      onChange={(event) => change(event.target.value as unknown as string[])}
      sx={filterField}
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

/** Looks of one condition of a list. */
export const filterField = { width: { xs: '100%', md: 128 } } as const;
