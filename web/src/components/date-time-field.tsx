import TextField from '@mui/material/TextField';
import { fromInput, toInput } from '../lib/datetime-input.ts';
import { useTimeZone } from '../lib/time-zone.ts';

interface Props {
  readonly label: string;
  /** RFC 3339, UTC; null if the field is empty. */
  readonly value: string | null;
  readonly change: (value: string | null) => void;
  readonly error?: string | undefined;
}

/** A field for a date and time, in the time zone that the viewer chose. */
export function DateTimeField({ label, value, change, error }: Props) {
  const zone = useTimeZone();
  return (
    <TextField
      type="datetime-local"
      label={`${label} (${zone === 'utc' ? 'UTC' : 'local time'})`}
      value={toInput(value, zone)}
      onChange={(event) => change(fromInput(event.target.value, zone))}
      error={error !== undefined}
      helperText={error}
      sx={{ width: { xs: '100%', sm: 210 } }}
      slotProps={{ inputLabel: { shrink: true } }}
    />
  );
}
