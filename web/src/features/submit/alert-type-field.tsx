import Alert from '@mui/material/Alert';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { AlertTypesDocument } from '../../graphql/gen/lazy-documents.ts';
import { useQuery } from '../../graphql/use-query.ts';

interface Props {
  readonly value: string;
  readonly change: (value: string) => void;
  readonly error: string | undefined;
}

/** Field for the alert type. If the server lists no types, the field is hidden and the default applies. */
export function AlertTypeField({ value, change, error }: Props) {
  const [{ data }] = useQuery({ query: AlertTypesDocument });
  const types = data?.alertTypes ?? [];
  if (types.length === 0) return error === undefined ? null : <Alert severity="error">{error}</Alert>;
  const usual = types.find((type) => type.isDefault);
  const chosen = value === '' ? usual : types.find((type) => type.name === value);
  const stages =
    chosen === undefined ? '' : chosen.stageCount === 1 ? '1 stage' : `${chosen.stageCount} stages`;
  const hint = [chosen?.description, stages].filter(Boolean).join(' · ');
  return (
    <TextField
      select
      label="Alert type"
      value={value}
      onChange={(event) => change(event.target.value)}
      error={error !== undefined}
      helperText={error ?? (hint === '' ? 'Selects the chain of agents.' : hint)}
      slotProps={{ inputLabel: { shrink: true }, select: { displayEmpty: true } }}
    >
      <MenuItem value="">{usual === undefined ? 'Default' : `Default (${usual.name})`}</MenuItem>
      {types.map((type) => (
        <MenuItem key={type.name} value={type.name}>
          {type.name}
        </MenuItem>
      ))}
      {/* The type of an earlier alert may no longer exist; the server then reports an error. */}
      {chosen === undefined && value !== '' ? <MenuItem value={value}>{value}</MenuItem> : null}
    </TextField>
  );
}
