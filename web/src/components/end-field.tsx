import Box from '@mui/material/Box';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { MomentField } from './moment-field.tsx';

interface Props<Choice extends string> {
  readonly label: string;
  /** What may be chosen, with what it is called; `until` asks for a moment. */
  readonly choices: Readonly<Record<Choice, string>>;
  readonly choice: Choice;
  readonly choose: (choice: Choice) => void;
  /** RFC 3339, UTC; null while none is given. */
  readonly until: string | null;
  readonly setUntil: (until: string | null) => void;
  readonly error: string | undefined;
}

/** When something ends: after some time, at a moment, or whatever else may be chosen. */
export function EndField<Choice extends string>(props: Props<Choice>) {
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
      {isMoment ? <MomentField label="Until" value={until} change={setUntil} error={error} /> : null}
    </Box>
  );
}
