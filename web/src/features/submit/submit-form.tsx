import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { type KeyboardEvent, type SyntheticEvent, useState } from 'react';
import { useMutation } from 'urql';
import type { SubmitAlertInput } from '../../graphql/gen/documents.ts';
import { SubmitAlertDocument } from '../../graphql/gen/lazy-documents.ts';
import { sessionPath } from '../../lib/paths.ts';
import { useLocation, useNavigate } from '../../lib/router.tsx';
import { useDraftState } from '../../lib/use-draft-state.ts';
import { AlertField } from './alert-field.tsx';
import { AlertTypeField } from './alert-type-field.tsx';
import { type FieldErrors, fieldErrors } from './field-errors.ts';
import { type McpChoice, mcpInput } from './mcp-choice.ts';
import { RunbookField } from './runbook-field.tsx';
import { TeamField } from './team-field.tsx';
import { ToolsField, useUsualServers } from './tools-field.tsx';

export interface Draft {
  readonly data: string;
  /** '' = the default alert type. */
  readonly alertType: string;
  readonly runbookUrl: string;
  /** '' = the alert type's team. */
  readonly team: string;
  readonly tools: McpChoice;
}

export function SubmitForm({ initial }: { initial: Draft }) {
  const { search } = useLocation();
  const [draft, setDraft] = useDraftState(`alert.${search}`, initial);
  const { errors, sending, send } = useSubmit();
  const set = (part: Partial<Draft>): void => setDraft((now) => ({ ...now, ...part }));
  const alertType = draft.alertType || null;
  const usual = useUsualServers(alertType);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (sending) return;
    const { data, runbookUrl, team, tools } = draft;
    const more = { runbookUrl: runbookUrl.trim() || null, team: team || null, mcp: mcpInput(tools, usual) };
    void send({ data, alertType, ...more });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
  };
  return (
    <Paper component="form" noValidate onSubmit={submit} onKeyDown={onKeyDown} sx={form}>
      {errors.form === undefined ? null : <Alert severity="error">{errors.form}</Alert>}
      <AlertField value={draft.data} change={(data) => set({ data })} error={errors.data} />
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { sm: '1fr 1fr' } }}>
        <AlertTypeField
          value={draft.alertType}
          change={(type) => set({ alertType: type })}
          error={errors.alertType}
        />
        <RunbookField
          value={draft.runbookUrl}
          change={(runbookUrl) => set({ runbookUrl })}
          error={errors.runbookUrl}
        />
        <TeamField value={draft.team} change={(team) => set({ team })} error={errors.team} />
      </Box>
      <ToolsField
        choice={draft.tools}
        change={(tools) => set({ tools })}
        alertType={alertType}
        error={errors.mcp}
      />
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 2 }}>
        <Button type="submit" variant="contained" size="medium" loading={sending}>
          Investigate
        </Button>
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          Ctrl + Enter
        </Typography>
      </Box>
    </Paper>
  );
}

/** Sends an alert. Opens the session on success, else returns `errors`. */
function useSubmit() {
  const navigate = useNavigate();
  const [{ fetching: sending }, submit] = useMutation(SubmitAlertDocument);
  const [errors, setErrors] = useState<FieldErrors>({});
  const send = async (input: SubmitAlertInput): Promise<void> => {
    if (input.data.trim() === '') return setErrors({ data: 'Paste an alert, or choose a file.' });
    setErrors({});
    const result = await submit({ input });
    const outcome = result.data?.submitAlert;
    if (outcome?.__typename !== 'SubmitAlertSuccess') return setErrors(fieldErrors(outcome, result.error));
    navigate(sessionPath(outcome.session.id));
  };
  return { errors, sending, send };
}

const form = { p: { xs: 2, sm: 3 }, display: 'grid', gap: 2.5 } as const;
