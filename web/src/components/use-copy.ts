import { useCallback, useEffect, useState } from 'react';
import { copyText } from '../lib/copy-text.ts';

const SHOW_RESULT_MS = 1_500;

/**
 * Returns the result of the last copy (null after a moment) and a function that copies. `done` is the text
 * for success.
 */
export function useCopy(): readonly [string | null, (text: string, done?: string) => void] {
  const [result, setResult] = useState<string | null>(null);
  useEffect(() => {
    if (result === null) return;
    const timer = setTimeout(() => setResult(null), SHOW_RESULT_MS);
    return () => clearTimeout(timer);
  }, [result]);
  const copy = useCallback((text: string, done = 'Copied') => {
    void copyText(text).then((outcome) => setResult(outcome === 'done' ? done : 'Copy failed'));
  }, []);
  return [result, copy];
}
