import { type Dispatch, type SetStateAction, useEffect, useRef, useState } from 'react';

/**
 * State of what is being written: loading the page anew, as signing in again does, does not take it away. It is kept for
 * this tab alone, from when the page is left until it is there again. `key` names the field, among all pages.
 */
export function useKeptState<T>(key: string, begin: T): [T, Dispatch<SetStateAction<T>>] {
  const [name] = useState(`tarsy.kept.${key}`);
  const [value, setValue] = useState<T>(() => readKept(name) ?? begin);
  const first = useRef(begin);
  const newest = useRef(value);
  newest.current = value;
  useEffect(() => {
    writeKept(name, null);
    const keep = (): void => {
      if (newest.current !== first.current) writeKept(name, newest.current);
    };
    window.addEventListener('pagehide', keep);
    return () => window.removeEventListener('pagehide', keep);
  }, [name]);
  return [value, setValue];
}

/** Only what this page wrote is there, in the form in which it was written. */
function readKept<T>(name: string): T | null {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? 'null');
  } catch {
    return null;
  }
}

function writeKept(name: string, value: unknown): void {
  try {
    if (value === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, JSON.stringify(value));
  } catch {
    // No room, or a browser that may not remember: it is lost, as it would be without us.
  }
}
