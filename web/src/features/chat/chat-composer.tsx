import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import InputBase from '@mui/material/InputBase';
import { type KeyboardEvent, type RefObject, useId } from 'react';
import { StopIcon } from '../../components/icons.tsx';
import { useRights } from '../../components/use-rights.ts';
import { isComposing } from '../../lib/composing.ts';
import type { Chat } from './use-chat.ts';

// Maximum length of a question, as in the API, and the length that shows the counter (UTF-16 code units).
const MAX_LENGTH = 100_000;
const COUNTER_THRESHOLD = 90_000;

interface Props {
  readonly chat: Chat;
  /** True while an answer is written: the viewer can stop it, and must wait with the next question. */
  readonly answering: boolean;
  /** Reason why the viewer cannot ask a question; `null` if asking is possible. */
  readonly disabledReason: string | null;
  readonly input: RefObject<HTMLTextAreaElement | null>;
}

export function ChatComposer({ chat, answering, disabledReason, input }: Props) {
  const hint = useId();
  const mayStop = useRights().may('CHAT');
  const idle = disabledReason === null && !answering && chat.draft.length < COUNTER_THRESHOLD;
  const tooLong = chat.draft.length > MAX_LENGTH;
  const ready =
    disabledReason === null && !answering && chat.pending === null && !tooLong && chat.draft.trim() !== '';
  const onKeyDown = (event: KeyboardEvent): void => {
    // During input-method composition, Enter completes a word and must not send the question.
    if (event.key !== 'Enter' || event.shiftKey || isComposing(event.nativeEvent)) return;
    event.preventDefault();
    if (ready) chat.send();
  };
  return (
    <Box sx={{ displayPrint: 'none' }}>
      {chat.problem === null ? null : (
        <Alert severity="warning" variant="outlined" sx={{ mb: 1 }}>
          {chat.problem}
        </Alert>
      )}
      <Box sx={box}>
        <InputBase
          multiline
          fullWidth
          maxRows={12}
          inputRef={input}
          value={chat.draft}
          disabled={disabledReason !== null}
          placeholder={disabledReason === null ? 'Ask about this investigation' : ''}
          onChange={(event) => chat.setDraft(event.target.value)}
          onKeyDown={onKeyDown}
          inputProps={{ 'aria-label': 'Question about this investigation', 'aria-describedby': hint }}
          sx={{ px: 1.5, pt: 1, fontSize: '0.875rem' }}
        />
        <Box sx={actions}>
          <Box id={hint} sx={{ flex: 1, minWidth: 0, fontSize: '0.75rem', color: 'text.secondary' }}>
            {hintFor({ disabledReason, answering, length: chat.draft.length })}
            {idle ? (
              <Box component="span" sx={onlyWide}>
                Enter to send, Shift + Enter for a new line.
              </Box>
            ) : null}
          </Box>
          {answering && mayStop ? (
            <Button
              color="error"
              variant="outlined"
              startIcon={<StopIcon />}
              loading={chat.stopping}
              onClick={chat.stop}
            >
              Stop
            </Button>
          ) : (
            <Button variant="contained" disabled={!ready} loading={chat.pending !== null} onClick={chat.send}>
              Ask
            </Button>
          )}
        </Box>
      </Box>
    </Box>
  );
}

function hintFor(now: { disabledReason: string | null; answering: boolean; length: number }): string {
  if (now.disabledReason !== null) return now.disabledReason;
  if (now.length > MAX_LENGTH) return `Too long: ${now.length} of ${MAX_LENGTH} characters.`;
  if (now.length >= COUNTER_THRESHOLD) return `${now.length} of ${MAX_LENGTH} characters`;
  if (now.answering) return 'Wait for this answer, or stop it, before you ask again.';
  return '';
}

const box = {
  bgcolor: 'background.paper',
  border: '1px solid',
  borderColor: 'divider',
  borderRadius: 1,
  '&:focus-within': { outline: '2px solid', outlineColor: 'primary.main', outlineOffset: -1 },
} as const;
const onlyWide = { display: { xs: 'none', sm: 'inline' } } as const;
const actions = {
  display: 'flex',
  alignItems: 'center',
  gap: 1,
  pl: 1.5,
  pr: 0.75,
  pb: 0.75,
  pt: 0.5,
} as const;
