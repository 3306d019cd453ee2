import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import { type SyntheticEvent, useState } from 'react';
import { useMutation } from 'urql';
import { EndTimeField } from '../../components/end-time-field.tsx';
import type { SilenceItemFragment } from '../../graphql/gen/documents.ts';
import { CreateSilenceDocument } from '../../graphql/gen/lazy-documents.ts';
import { useServerClock } from '../../lib/server-clock.ts';
import { useFocusFirstError } from '../../lib/use-focus-first-error.ts';
import { mono } from '../../theme.ts';
import {
  DURATION_LABELS,
  isInput,
  matchersOf,
  type SilenceDraft,
  type SilenceErrors,
  silenceErrors,
  silenceInput,
} from './silence-draft.ts';
import { SilencePreview } from './silence-preview.tsx';

interface Props {
  readonly matchers: readonly string[];
  readonly comment?: string;
  readonly close: () => void;
  readonly onCreated: (silence: SilenceItemFragment) => void;
}

export function SilenceDialog({ matchers, comment = '', close, onCreated }: Props) {
  const { draft, set, errors, sending, send, form } = useForm(
    { matchers: matchers.join('\n'), comment, length: '2h', until: null },
    onCreated,
  );
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (!sending) void send();
  };
  return (
    <Dialog open onClose={close} fullWidth maxWidth="sm" aria-labelledby="silence-title">
      <DialogTitle id="silence-title">Silence alerts</DialogTitle>
      <Box component="form" ref={form} noValidate onSubmit={submit} sx={frame}>
        <DialogContent sx={{ display: 'grid', gap: 2, pt: '8px !important' }}>
          <TextField
            label="One matcher per line; all must match"
            multiline
            minRows={3}
            maxRows={12}
            autoFocus
            value={draft.matchers}
            onChange={(event) => set({ matchers: event.target.value })}
            placeholder={'namespace="pay"\nalertname=~"Disk.*"'}
            error={errors.matchers !== undefined}
            helperText={
              errors.matchers ?? 'Alertmanager syntax: name="value", !=, =~ and !~ with RE2 patterns.'
            }
            slotProps={{
              htmlInput: { spellCheck: false, style: { fontFamily: mono, fontSize: '0.8125rem' } },
            }}
          />
          <SilencePreview matchers={matchersOf(draft)} />
          <TextField
            label="Comment"
            value={draft.comment}
            onChange={(event) => set({ comment: event.target.value })}
            placeholder="Reason for the silence"
            error={errors.comment !== undefined}
            helperText={errors.comment}
          />
          <EndTimeField
            label="Duration"
            choices={DURATION_LABELS}
            choice={draft.length}
            choose={(length) => set({ length })}
            until={draft.until}
            setUntil={(until) => set({ until })}
            error={errors.end}
          />
          {errors.form === undefined ? null : <Alert severity="error">Not silenced. {errors.form}</Alert>}
        </DialogContent>
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" variant="contained" loading={sending}>
            Silence
          </Button>
        </DialogActions>
      </Box>
    </Dialog>
  );
}

function useForm(initial: SilenceDraft, onCreated: (silence: SilenceItemFragment) => void) {
  const clock = useServerClock();
  const [draft, setDraft] = useState(initial);
  const [errors, setErrors] = useState<SilenceErrors>({});
  const [{ fetching: sending }, create] = useMutation(CreateSilenceDocument);
  const form = useFocusFirstError(errors);
  const send = async (): Promise<void> => {
    const input = silenceInput(draft, clock.now());
    if (!isInput(input)) return setErrors(input);
    setErrors({});
    const { data, error } = await create({ input });
    const outcome = data?.createSilence;
    if (outcome?.__typename === 'CreateSilenceSuccess') onCreated(outcome.silence);
    else setErrors(silenceErrors(draft, outcome, error));
  };
  return {
    draft,
    errors,
    sending,
    send,
    form,
    set: (part: Partial<SilenceDraft>): void => setDraft((now) => ({ ...now, ...part })),
  };
}

// The dialog's content scrolls; its buttons stay visible.
const frame = { display: 'flex', flexDirection: 'column', minHeight: 0 } as const;
