import TextField from '@mui/material/TextField';

/** Field for the reason of a cancellation, which the viewer may leave empty. */
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
