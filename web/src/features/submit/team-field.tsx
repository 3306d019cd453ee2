import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { useViewer } from '../../components/use-viewer.ts';

interface Props {
  readonly value: string;
  readonly change: (value: string) => void;
  readonly error: string | undefined;
}

/** Chooses the session's team. Hidden from users without a team. */
export function TeamField({ value, change, error }: Props) {
  const own = useViewer()?.teams ?? [];
  // Keeps an earlier alert's team selectable; the server reports an error if that team is not allowed.
  const teams = value === '' || own.includes(value) ? own : [...own, value];
  if (teams.length === 0) return null;
  return (
    <TextField
      select
      label="Team"
      value={value}
      onChange={(event) => change(event.target.value)}
      error={error !== undefined}
      helperText={error ?? 'Only members of this team see the investigation.'}
      slotProps={{ inputLabel: { shrink: true }, select: { displayEmpty: true } }}
    >
      <MenuItem value="">Alert type default</MenuItem>
      {teams.map((team) => (
        <MenuItem key={team} value={team}>
          {team}
        </MenuItem>
      ))}
    </TextField>
  );
}
