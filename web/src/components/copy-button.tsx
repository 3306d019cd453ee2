import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import { type ReactNode, useEffect, useState } from 'react';
import { copyText } from '../lib/copy-text.ts';
import { CheckIcon, CopyIcon } from './icons.tsx';

const SHOW_RESULT_MS = 1_500;

/** Copies `text()` to the clipboard and says so for a moment. */
export function CopyButton({ label, text, icon }: { label: string; text: () => string; icon?: ReactNode }) {
  const [outcome, setOutcome] = useState<'done' | 'failed' | null>(null);
  useEffect(() => {
    if (outcome === null) return;
    const timer = setTimeout(() => setOutcome(null), SHOW_RESULT_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async (): Promise<void> => {
    setOutcome(await copyText(text()));
  };
  const said = outcome === 'done' ? 'Copied' : outcome === 'failed' ? 'The browser refused' : label;
  return (
    <Tooltip title={said}>
      <IconButton aria-label={said} onClick={() => void copy()}>
        {outcome === 'done' ? <CheckIcon fontSize="small" /> : (icon ?? <CopyIcon fontSize="small" />)}
      </IconButton>
    </Tooltip>
  );
}
