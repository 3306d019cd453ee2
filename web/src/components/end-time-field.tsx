import Box from '@mui/material/Box';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { DateTimeField } from './date-time-field.tsx';

interface Props<Choice extends string> {
  readonly label: string;
  /** Labels by choice. The choice `until` shows a field for a date and time. */
  readonly choices: Readonly<Record<Choice, string>>;
  readonly choice: Choice;
  readonly choose: (choice: Choice) => void;
  readonly until: string | null;
  readonly setUntil: (until: string | null) => void;
  readonly error: string | undefined;
}

/**
 * A field for an end time. The choices offer durations and others such as "never"; `until` stands for a date
 * and time.
 */
export function EndTimeField<Choice extends string>(props: Props<Choice>) {
  const { label, choices, choice, choose, until, setUntil, error } = props;
  const isMoment = choice === 'until';
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
      <TextField
        select
        label={label}
        value={choice}
        onChange={(event) => choose(event.target.value as Choice)}
        error={error !== undefined && !isMoment}
        helperText={isMoment ? undefined : error}
        sx={{ width: { xs: '100%', sm: 160 } }}
      >
        {Object.entries<string>(choices).map(([value, name]) => (
          <MenuItem dense key={value} value={value}>
            {name}
          </MenuItem>
        ))}
      </TextField>
      {isMoment ? <DateTimeField label="Until" value={until} change={setUntil} error={error} /> : null}
    </Box>
  );
}

export function labelsByKey<Key extends string>(choices: Readonly<Record<Key, { label: string }>>) {
  const names = Object.entries<{ label: string }>(choices).map(([key, { label }]) => [key, label]);
  return Object.fromEntries(names) as Record<Key, string>;
}
