import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { useMutation } from 'urql';
import { MomentField } from '../../components/moment-field.tsx';
import { CreateSilenceDocument, type SilenceItemFragment } from '../../graphql/gen/documents.ts';
import { useServerClock } from '../../lib/server-clock.ts';
import { mono } from '../../theme.ts';
import {
  isInput,
  LENGTHS,
  type Length,
  type SilenceDraft,
  type SilenceErrors,
  silenceErrors,
  silenceInput,
} from './silence-draft.ts';

interface Props {
  /** What the form begins with. */
  readonly matchers: readonly string[];
  readonly comment?: string;
  readonly close: () => void;
  readonly made: (silence: SilenceItemFragment) => void;
}

/** The form of a new silence, and what the server says to it. */
export function SilenceDialog({ matchers, comment = '', close, made }: Props) {
  const { draft, set, errors, sending, send, form } = useForm(
    { matchers: matchers.join('\n'), comment, length: '2h', until: null },
    made,
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
            label="Matchers, one a line; all must hold"
            multiline
            minRows={3}
            maxRows={12}
            autoFocus
            value={draft.matchers}
            onChange={(event) => set({ matchers: event.target.value })}
            placeholder={'namespace="pay"\nalertname=~"Disk.*"'}
            error={errors.matchers !== undefined}
            helperText={
              errors.matchers ?? 'As in Alertmanager: name="value", !=, =~ and !~ with RE2 patterns.'
            }
            slotProps={{
              htmlInput: { spellCheck: false, style: { fontFamily: mono, fontSize: '0.8125rem' } },
            }}
          />
          <TextField
            label="Comment"
            value={draft.comment}
            onChange={(event) => set({ comment: event.target.value })}
            placeholder="Why, for whoever reads it at night"
            error={errors.comment !== undefined}
            helperText={errors.comment}
          />
          <End draft={draft} set={set} error={errors.end} />
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

interface EndProps {
  readonly draft: SilenceDraft;
  readonly set: (part: Partial<SilenceDraft>) => void;
  readonly error: string | undefined;
}

function End({ draft, set, error }: EndProps) {
  const until = draft.length === 'until';
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
      <TextField
        select
        label="For"
        value={draft.length}
        onChange={(event) => set({ length: event.target.value as Length })}
        error={error !== undefined && !until}
        helperText={until ? undefined : error}
        sx={{ width: { xs: '100%', sm: 160 } }}
      >
        {Object.entries(LENGTHS).map(([key, { label }]) => (
          <MenuItem dense key={key} value={key}>
            {label}
          </MenuItem>
        ))}
        <MenuItem dense value="until">
          Until…
        </MenuItem>
      </TextField>
      {until ? (
        <MomentField
          label="Until"
          value={draft.until}
          change={(value) => set({ until: value })}
          error={error}
        />
      ) : null}
    </Box>
  );
}

function useForm(begin: SilenceDraft, made: (silence: SilenceItemFragment) => void) {
  const clock = useServerClock();
  const [draft, setDraft] = useState(begin);
  const [errors, setErrors] = useState<SilenceErrors>({});
  const [{ fetching: sending }, create] = useMutation(CreateSilenceDocument);
  const form = useRef<HTMLFormElement>(null);
  // Whoever does not see what is wrong is led to it.
  useEffect(() => {
    if (Object.keys(errors).length > 0)
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [errors]);
  const send = async (): Promise<void> => {
    const input = silenceInput(draft, clock.now());
    if (!isInput(input)) return setErrors(input);
    setErrors({});
    const { data, error } = await create({ input });
    const outcome = data?.createSilence;
    if (outcome?.__typename === 'CreateSilenceSuccess') made(outcome.silence);
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

// Its content scrolls, its buttons stay.
const frame = { display: 'flex', flexDirection: 'column', minHeight: 0 } as const;
