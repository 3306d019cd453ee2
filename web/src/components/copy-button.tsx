import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import type { ReactNode } from 'react';
import { CheckIcon, CopyIcon } from './icons.tsx';
import { useCopy } from './use-copy.ts';

/** A button that copies `text()` to the clipboard and briefly shows the result. */
export function CopyButton({ label, text, icon }: { label: string; text: () => string; icon?: ReactNode }) {
  const [outcome, copy] = useCopy();
  const title = outcome ?? label;
  return (
    <Tooltip title={title}>
      <IconButton aria-label={title} onClick={() => copy(text())}>
        {outcome === 'Copied' ? <CheckIcon fontSize="small" /> : (icon ?? <CopyIcon fontSize="small" />)}
      </IconButton>
    </Tooltip>
  );
}
