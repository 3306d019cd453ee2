import TextField from '@mui/material/TextField';

interface Props {
  readonly value: string;
  readonly change: (value: string) => void;
  readonly error: string | undefined;
}

/** The address of a runbook. */
export function RunbookField({ value, change, error }: Props) {
  return (
    <TextField
      label="Runbook URL (optional)"
      type="url"
      value={value}
      onChange={(event) => change(event.target.value)}
      error={error !== undefined}
      helperText={error ?? 'Steps that the agents should follow.'}
    />
  );
}
