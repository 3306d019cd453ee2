import TextField from '@mui/material/TextField';

/** Field for the optional reason of a cancellation. */
export function ReasonField({ reason, change }: { reason: string; change: (reason: string) => void }) {
  return (
    <TextField
      label="Reason (optional)"
      value={reason}
      onChange={({ target }) => change(target.value)}
      fullWidth
      multiline
      size="small"
      slotProps={{ htmlInput: { maxLength: 1000 } }}
      sx={{ mt: 2 }}
    />
  );
}
