import { type Dispatch, type SetStateAction, useEffect, useRef, useState } from 'react';

/**
 * State of a draft that survives a page load, such as for a sign-in. Stored for this tab when the page unloads and
 * removed when the page loads again. `key` must be unique among all pages.
 */
export function useDraftState<T>(key: string, begin: T): [T, Dispatch<SetStateAction<T>>] {
  const [name] = useState(`tarsy.kept.${key}`);
  const [value, setValue] = useState<T>(() => readDraft(name) ?? begin);
  const first = useRef(begin);
  const newest = useRef(value);
  newest.current = value;
  useEffect(() => {
    writeDraft(name, null);
    const keep = (): void => {
      if (newest.current !== first.current) writeDraft(name, newest.current);
    };
    window.addEventListener('pagehide', keep);
    return () => window.removeEventListener('pagehide', keep);
  }, [name]);
  return [value, setValue];
}

function readDraft<T>(name: string): T | null {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? 'null');
  } catch {
    return null;
  }
}

function writeDraft(name: string, value: unknown): void {
  try {
    if (value === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, JSON.stringify(value));
  } catch {
    // Storage is full or disabled, so the draft is lost at the page load.
  }
}
