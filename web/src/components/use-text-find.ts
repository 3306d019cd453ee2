import { type RefObject, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { findOffsets, MIN_FIND_LENGTH } from '../lib/find-text.ts';
import { rangeOfText } from '../lib/text-ranges.ts';
import type { Find } from './find-field.tsx';
import { DIALOG_HIGHLIGHTS, useFindHighlights } from './find-highlights.ts';

interface TextFind {
  readonly find: Find;
  /** Offset of the current match (UTF-16 code units); `null` if there is none. */
  readonly place: number | null;
  /** For the element that shows the text. */
  readonly box: RefObject<HTMLDivElement | null>;
  readonly inputRef: RefObject<HTMLInputElement | null>;
}

/**
 * Finds text in a dialog that renders only the visible lines of a text (`LongText`), and highlights the matches.
 * Ctrl/Cmd + F focuses the input.
 */
export function useTextFind(text: string): TextFind {
  const [query, setQueryState] = useState('');
  const [index, setIndex] = useState(0);
  const deferred = useDeferredValue(query).trim();
  const matches = useMemo(
    () => (deferred.length < MIN_FIND_LENGTH ? [] : findOffsets(text, deferred)),
    [text, deferred],
  );
  const place = matches[index] ?? null;
  const box = useRef<HTMLDivElement>(null);
  const inputRef = useRef<HTMLInputElement>(null);
  const root = useCallback(() => box.current, []);
  const current = useCallback(() => {
    if (place === null) return null;
    const lines = [...(box.current?.querySelectorAll<HTMLElement>('[data-start]') ?? [])];
    const line = lines.findLast(({ dataset }) => Number(dataset.start) <= place);
    const start = place - Number(line?.dataset.start);
    return line === undefined ? null : rangeOfText(line, start, start + deferred.length);
  }, [place, deferred]);
  useFindHighlights({ query: deferred, names: DIALOG_HIGHLIGHTS, root, current });
  const setQuery = (next: string): void => {
    setQueryState(next);
    setIndex(0);
  };
  const step = (by: 1 | -1): void =>
    setIndex((now) => (now + by + matches.length) % Math.max(1, matches.length));
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== 'f' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      if (document.activeElement === inputRef.current) return; // the second press opens the browser's search
      event.preventDefault(); // also keeps the page's own search from taking the key
      inputRef.current?.focus();
      inputRef.current?.select();
    };
    window.addEventListener('keydown', onKeyDown, { capture: true });
    return () => window.removeEventListener('keydown', onKeyDown, { capture: true });
  }, []);
  const currentIndex = matches.length === 0 ? -1 : index;
  return { find: { query, setQuery, matches, currentIndex, step }, place, box, inputRef };
}
