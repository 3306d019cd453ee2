import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import InputBase from '@mui/material/InputBase';
import Paper from '@mui/material/Paper';
import { type KeyboardEvent, useId, useState } from 'react';
import { useMutation } from 'urql';
import { ActionButton } from '../../components/action-button.tsx';
import { FlagIcon } from '../../components/icons.tsx';
import { refusalText } from '../../components/notice.tsx';
import { useRights } from '../../components/use-rights.ts';
import type { SessionStatus } from '../../graphql/gen/documents.ts';
import { AddHintDocument, ConcludeSessionDocument } from '../../graphql/gen/lazy-documents.ts';
import { isComposing } from '../../lib/composing.ts';
import { useDraftState } from '../../lib/use-draft-state.ts';

/** Maximum length of a hint (bytes of UTF-8), as in the API. */
const MAX_BYTES = 4_000;
/** From this length on, the number of bytes is shown. */
const COUNTER_THRESHOLD = 3_000;

interface Props {
  readonly sessionId: string;
  readonly status: SessionStatus;
  /** True if a responder has already asked for a conclusion. */
  readonly isConcluding: boolean;
}

/** Lets responders add hints to a running investigation, and ask it to conclude. */
export function SteerPanel({ sessionId, status, isConcluding }: Props) {
  const missingRight = useRights().whyNot('CHAT');
  const [text, setText] = useDraftState(`hint.${sessionId}`, '');
  const [problem, setProblem] = useState<string>();
  const [{ fetching: adding }, addHint] = useMutation(AddHintDocument);
  const [{ fetching: concluding }, conclude] = useMutation(ConcludeSessionDocument);
  const note = useId();
  const bytes = new TextEncoder().encode(text.trim()).length;
  const ready = missingRight === null && !adding && bytes > 0 && bytes <= MAX_BYTES;

  const add = async (): Promise<void> => {
    const { data, error } = await addHint({ input: { sessionId, text } });
    setProblem(refusalText(data?.addHint, error));
    if (data?.addHint.__typename === 'AddHintSuccess') setText((now) => (now === text ? '' : now)); // keeps a next hint
  };
  const concludeNow = async (): Promise<void> => {
    const { data, error } = await conclude({ id: sessionId });
    setProblem(refusalText(data?.concludeSession, error));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // During input-method composition, Enter completes a word and must not send the hint.
    if (event.key !== 'Enter' || event.shiftKey || isComposing(event.nativeEvent)) return;
    event.preventDefault();
    if (ready) void add();
  };
  return (
    <Paper component="section" aria-label="Hints" sx={{ mb: 1.5, p: 1, displayPrint: 'none' }}>
      {problem === undefined ? null : (
        <Alert severity="warning" variant="outlined" sx={{ mb: 1 }}>
          {problem}
        </Alert>
      )}
      <InputBase
        multiline
        fullWidth
        maxRows={6}
        value={text}
        disabled={missingRight !== null}
        placeholder={missingRight === null ? 'Add a hint for the agents' : ''}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        inputProps={{ 'aria-label': 'Hint for the agents', 'aria-describedby': note }}
        sx={{ px: 1, fontSize: '0.875rem' }}
      />
      <Box sx={actions}>
        <Box id={note} sx={noteStyle}>
          {missingRight ?? hintNote(bytes)}
        </Box>
        {status === 'PENDING' || status === 'CANCELLING' ? null : (
          <ActionButton
            needs="REVIEW"
            color="inherit"
            variant="outlined"
            startIcon={<FlagIcon />}
            disabled={isConcluding}
            loading={concluding}
            onClick={() => void concludeNow()}
          >
            {isConcluding ? 'Concluding' : 'Conclude now'}
          </ActionButton>
        )}
        <ActionButton
          needs="CHAT"
          variant="contained"
          disabled={!ready}
          loading={adding}
          onClick={() => void add()}
        >
          Add hint
        </ActionButton>
      </Box>
    </Paper>
  );
}

function hintNote(bytes: number): string {
  if (bytes > MAX_BYTES) return `Too long: ${bytes} of ${MAX_BYTES} bytes.`;
  if (bytes >= COUNTER_THRESHOLD) return `${bytes} of ${MAX_BYTES} bytes`;
  return 'Each agent reads it before its next model call. A hint is not evidence.';
}

/** On a phone the note is only the field's description, because the timeline needs the height. */
const noteStyle = {
  display: { xs: 'none', sm: 'block' },
  mr: 'auto',
  fontSize: '0.75rem',
  color: 'text.secondary',
} as const;
const actions = { display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, pl: 1, pt: 0.5 } as const;
