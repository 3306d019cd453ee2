import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import { type ChangeEvent, type DragEvent, useRef, useState } from 'react';
import { FileIcon } from '../../components/icons.tsx';
import { byteLength, formatBytes } from '../../lib/format.ts';
import { mono } from '../../theme.ts';

// Maximum size of an alert (bytes), as in the API. This check only avoids reading a file that the server would refuse.
const MAX_BYTES = 1024 * 1024;

interface Props {
  readonly value: string;
  readonly change: (value: string) => void;
  readonly error: string | undefined;
}

/** Field for the alert's text, which the viewer types, pastes, drops or reads from a file. */
export function AlertField({ value, change, error }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const file = useFileDrop(change);
  const size = byteLength(value);
  const message = file.error ?? error;
  return (
    <Box {...file.dropTarget}>
      <TextField
        label="Alert"
        multiline
        minRows={10}
        maxRows={24}
        autoFocus
        value={value}
        placeholder="Paste text or JSON from your monitoring system, or drop a file."
        onChange={(event) => {
          file.clearError();
          change(event.target.value);
        }}
        error={message !== undefined}
        helperText={message ?? (size === 0 ? `Maximum ${formatBytes(MAX_BYTES)}.` : formatBytes(size))}
        slotProps={{ inputLabel: { shrink: true }, htmlInput: { spellCheck: false, style: editor } }}
        sx={file.isOver ? { '& fieldset': { borderColor: 'primary.main', borderWidth: 2 } } : {}}
      />
      <input ref={input} type="file" hidden aria-hidden="true" tabIndex={-1} onChange={file.choose} />
      <Button startIcon={<FileIcon />} sx={{ mt: 0.5 }} onClick={() => input.current?.click()}>
        Choose file
      </Button>
    </Box>
  );
}

/** Passes the text of a dropped or chosen file to `change`; a file that is too large sets `error` instead. */
function useFileDrop(change: (text: string) => void) {
  const [error, setError] = useState<string>();
  const [isOver, setOver] = useState(false);
  const readFile = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    const tooLarge = file.size > MAX_BYTES;
    setError(
      tooLarge
        ? `${file.name} is too large: ${formatBytes(file.size)}. Maximum ${formatBytes(MAX_BYTES)}.`
        : undefined,
    );
    if (!tooLarge) change(await file.text());
  };
  const onDrop = (event: DragEvent): void => {
    setOver(false);
    const file = event.dataTransfer.files[0];
    if (file === undefined) return;
    event.preventDefault();
    void readFile(file);
  };
  const onDragOver = (event: DragEvent): void => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    setOver(true);
  };
  const choose = (event: ChangeEvent<HTMLInputElement>): void => {
    void readFile(event.target.files?.[0]);
    // An empty value lets the viewer choose the same file again after it changed on disk.
    event.target.value = '';
  };
  const dropTarget = { onDrop, onDragOver, onDragLeave: () => setOver(false) };
  return { error, isOver, dropTarget, choose, clearError: () => setError(undefined) };
}

const editor = { fontFamily: mono, fontSize: '0.8125rem', lineHeight: 1.5 };
