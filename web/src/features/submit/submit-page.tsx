import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import Paper from '@mui/material/Paper';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { type KeyboardEvent, type SyntheticEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import { useMutation, useQuery } from 'urql';
import { Page } from '../../components/app-shell.tsx';
import {
  AlertTypesDocument,
  SubmitAlertDocument,
  type SubmitAlertInput,
} from '../../graphql/gen/documents.ts';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { AlertField } from './alert-field.tsx';
import { type FieldErrors, fieldErrors } from './field-errors.ts';

/** Hands an alert in and goes to its session. */
export default function SubmitPage() {
  useDocumentTitle('Submit an alert');
  const [data, setData] = useState('');
  const [alertType, setAlertType] = useState('');
  const [runbookUrl, setRunbookUrl] = useState('');
  const { errors, sending, send } = useSubmit();
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (!sending) void send({ data, alertType: alertType || null, runbookUrl: runbookUrl.trim() || null });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
  };
  return (
    <Page maxWidth={880}>
      <Typography variant="h1" sx={{ mb: 2 }}>
        Submit an alert
      </Typography>
      <Paper component="form" noValidate onSubmit={submit} onKeyDown={onKeyDown} sx={form}>
        {errors.form === undefined ? null : <Alert severity="error">{errors.form}</Alert>}
        <AlertField value={data} change={setData} error={errors.data} />
        <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { sm: '1fr 1fr' } }}>
          <AlertTypeField value={alertType} change={setAlertType} error={errors.alertType} />
          <TextField
            label="Runbook URL (optional)"
            type="url"
            value={runbookUrl}
            onChange={(event) => setRunbookUrl(event.target.value)}
            error={errors.runbookUrl !== undefined}
            helperText={errors.runbookUrl ?? 'Steps that the agents should follow.'}
          />
        </Box>
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 2 }}>
          <Button type="submit" variant="contained" size="medium" loading={sending}>
            Investigate
          </Button>
          <Typography variant="body2" sx={{ color: 'text.secondary' }}>
            Ctrl + Enter
          </Typography>
        </Box>
      </Paper>
    </Page>
  );
}

/** Sends an alert; a refusal ends up in `errors`, success on the session's page. */
function useSubmit() {
  const navigate = useNavigate();
  const [{ fetching: sending }, submit] = useMutation(SubmitAlertDocument);
  const [errors, setErrors] = useState<FieldErrors>({});
  const send = async (input: SubmitAlertInput): Promise<void> => {
    if (input.data.trim() === '') return setErrors({ data: 'Paste the alert, or choose a file.' });
    setErrors({});
    const result = await submit({ input });
    const outcome = result.data?.submitAlert;
    if (outcome?.__typename !== 'SubmitAlertSuccess') return setErrors(fieldErrors(outcome, result.error));
    await navigate(`/sessions/${encodeURIComponent(outcome.session.id)}`);
  };
  return { errors, sending, send };
}

interface TypeFieldProps {
  readonly value: string;
  readonly change: (value: string) => void;
  readonly error: string | undefined;
}

/** Hidden when the server cannot list its types: the default one is used then. */
function AlertTypeField({ value, change, error }: TypeFieldProps) {
  const [{ data }] = useQuery({ query: AlertTypesDocument });
  const types = data?.alertTypes ?? [];
  if (types.length === 0) return error === undefined ? null : <Alert severity="error">{error}</Alert>;
  const usual = types.find((type) => type.isDefault)?.name;
  return (
    <TextField
      select
      label="Alert type"
      value={value}
      onChange={(event) => change(event.target.value)}
      error={error !== undefined}
      helperText={error ?? 'Decides which chain of agents investigates.'}
      slotProps={{ inputLabel: { shrink: true }, select: { displayEmpty: true } }}
    >
      <MenuItem value="">{usual === undefined ? 'Default' : `Default (${usual})`}</MenuItem>
      {types.map((type) => (
        <MenuItem key={type.name} value={type.name}>
          {type.name}
        </MenuItem>
      ))}
    </TextField>
  );
}

const form = { p: { xs: 2, sm: 3 }, display: 'grid', gap: 2.5 } as const;
