import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import LinearProgress from '@mui/material/LinearProgress';
import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { CodeBlock } from '../../components/code-block.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorNotice } from '../../components/notice.tsx';

interface Props {
  readonly errorMessage: string | null;
  readonly loading: boolean;
  readonly error: CombinedError | undefined;
  readonly retry: () => void;
  /** Returns the whole interaction as JSON, for the clipboard. */
  readonly toJson: () => string;
  readonly facts: string;
  readonly children: ReactNode;
}

/** The expanded part of an interaction: its error, its facts, and its contents once loaded. */
export function DetailPanel({ errorMessage, loading, error, retry, toJson, facts, children }: Props) {
  return (
    <Box sx={{ ml: { xs: 0, sm: 2.5 }, mb: 1.5, display: 'grid', gap: 1.25, minWidth: 0 }}>
      <Box
        sx={{ display: 'flex', alignItems: 'center', gap: 1, fontSize: '0.75rem', color: 'text.secondary' }}
      >
        <Box sx={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>{facts}</Box>
        <CopyButton label="Copy interaction as JSON" text={toJson} />
      </Box>
      {errorMessage === null ? null : (
        <Alert severity="error" variant="outlined" sx={{ overflowWrap: 'anywhere' }}>
          {errorMessage}
        </Alert>
      )}
      {error ? <ErrorNotice what="Could not load this interaction." error={error} retry={retry} /> : null}
      {loading ? <LinearProgress aria-label="Loading interaction" /> : children}
    </Box>
  );
}

/** A named part of an interaction; renders nothing without a value. */
export function Part({ title, value }: { title: string; value: unknown }) {
  if (value === null || value === undefined || value === '') return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return (
    <Box sx={{ minWidth: 0 }}>
      <Box sx={{ mb: 0.5, fontSize: '0.75rem', color: 'text.secondary' }}>{title}</Box>
      <CodeBlock label={title} text={text} />
    </Box>
  );
}
