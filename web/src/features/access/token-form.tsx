import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import TextField from '@mui/material/TextField';
import { type SyntheticEvent, useId, useState } from 'react';
import { useMutation } from 'urql';
import { EndTimeField } from '../../components/end-time-field.tsx';
import type { TokenItemFragment, TokenScope } from '../../graphql/gen/documents.ts';
import { CreateApiTokenDocument } from '../../graphql/gen/lazy-documents.ts';
import { useServerClock } from '../../lib/server-clock.ts';
import { useFocusFirstError } from '../../lib/use-focus-first-error.ts';
import {
  ALL_SCOPES,
  EMPTY_DRAFT,
  isInput,
  LIFETIME_NAMES,
  SCOPES,
  type TokenDraft,
  type TokenErrors,
  tokenErrors,
  tokenInput,
} from './token-draft.ts';

export interface CreatedToken {
  readonly token: TokenItemFragment;
  readonly secret: string;
}

interface Props {
  readonly close: () => void;
  readonly onCreated: (token: CreatedToken) => void;
}

export function TokenForm({ close, onCreated }: Props) {
  const { draft, set, errors, sending, send, form } = useForm(onCreated);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (!sending) void send();
  };
  return (
    <Box component="form" ref={form} noValidate onSubmit={submit} sx={frame}>
      <DialogContent sx={{ display: 'grid', gap: 2, pt: '8px !important' }}>
        <TextField
          label="Name"
          autoFocus
          value={draft.name}
          onChange={(event) => set({ name: event.target.value })}
          placeholder="Purpose of the token"
          error={errors.name !== undefined}
          helperText={errors.name}
          slotProps={{ htmlInput: { maxLength: 100 } }}
        />
        <Scopes chosen={draft.scopes} choose={(scopes) => set({ scopes })} error={errors.scopes} />
        <TextField
          label="Team"
          value={draft.team}
          onChange={(event) => set({ team: event.target.value })}
          error={errors.team !== undefined}
          helperText={
            errors.team ?? 'Limits access to data of this team and data without a team. * means all teams.'
          }
          slotProps={{ htmlInput: { maxLength: 100 } }}
        />
        <EndTimeField
          label="Valid for"
          choices={LIFETIME_NAMES}
          choice={draft.lifetime}
          choose={(lifetime) => set({ lifetime })}
          until={draft.until}
          setUntil={(until) => set({ until })}
          error={errors.end}
        />
        <FormControlLabel
          control={
            <Checkbox
              size="small"
              checked={draft.isService}
              onChange={(event) => set({ isService: event.target.checked })}
            />
          }
          label={
            <Box component="span" sx={{ fontSize: '0.8125rem' }}>
              <b>Service token</b>: stays valid after your own access ends
            </Box>
          }
        />
        {errors.form === undefined ? null : <Alert severity="error">Token not created. {errors.form}</Alert>}
      </DialogContent>
      <DialogActions>
        <Button onClick={close}>Cancel</Button>
        <Button type="submit" variant="contained" loading={sending}>
          Create token
        </Button>
      </DialogActions>
    </Box>
  );
}

interface ScopesProps {
  readonly chosen: readonly TokenScope[];
  readonly choose: (scopes: readonly TokenScope[]) => void;
  readonly error: string | undefined;
}

function Scopes({ chosen, choose, error }: ScopesProps) {
  const hint = useId();
  const toggle = (scope: TokenScope): void =>
    choose(ALL_SCOPES.filter((other) => chosen.includes(other) !== (other === scope)));
  return (
    <Box component="fieldset" aria-describedby={error === undefined ? undefined : hint} sx={fieldset}>
      <Box component="legend" sx={{ p: 0, fontSize: '0.8125rem', color: 'text.secondary' }}>
        Permissions
      </Box>
      {ALL_SCOPES.map((scope) => (
        <FormControlLabel
          key={scope}
          sx={{ display: 'flex', mr: 0 }}
          control={
            <Checkbox
              size="small"
              checked={chosen.includes(scope)}
              onChange={() => toggle(scope)}
              sx={{ py: 0.5 }}
            />
          }
          label={
            <Box component="span" sx={{ fontSize: '0.8125rem' }}>
              <b>{SCOPES[scope].name}</b>: {SCOPES[scope].means}
            </Box>
          }
        />
      ))}
      {error === undefined ? null : (
        <FormHelperText id={hint} error>
          {error}
        </FormHelperText>
      )}
    </Box>
  );
}

function useForm(onCreated: Props['onCreated']) {
  const clock = useServerClock();
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [errors, setErrors] = useState<TokenErrors>({});
  const [{ fetching: sending }, create] = useMutation(CreateApiTokenDocument);
  const form = useFocusFirstError(errors);
  const send = async (): Promise<void> => {
    const input = tokenInput(draft, clock.now());
    if (!isInput(input)) return setErrors(input);
    setErrors({});
    const { data, error } = await create({ input });
    const outcome = data?.createApiToken;
    if (outcome?.__typename === 'CreateApiTokenSuccess')
      onCreated({ token: outcome.apiToken, secret: outcome.secret });
    else setErrors(tokenErrors(outcome, error));
  };
  return {
    draft,
    errors,
    sending,
    send,
    form,
    set: (part: Partial<TokenDraft>): void => setDraft((now) => ({ ...now, ...part })),
  };
}

// The dialog's content scrolls; its buttons stay visible.
const frame = { display: 'flex', flexDirection: 'column', minHeight: 0 } as const;
const fieldset = { m: 0, p: 0, border: 0, minWidth: 0 } as const;
