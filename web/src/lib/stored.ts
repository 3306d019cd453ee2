import { useCallback, useSyncExternalStore } from 'react';

/** Name of the event that reports a change within this page. Other pages get the browser's `storage` event. */
const CHANGED = 'tarsy-stored';

/** Reads a stored text; null if there is none or storage is disabled. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(name(key));
  } catch {
    return null;
  }
}

/** Stores a text, or removes it for null. Does nothing if storage is disabled. */
function writeStored(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(name(key));
    else localStorage.setItem(name(key), value);
  } catch {
    // Storage fails in a private window or on a full disk. The page works without the stored value.
  }
  window.dispatchEvent(new Event(CHANGED));
}

/** Returns a stored text (null if not set), which all open pages share, and a setter. */
export function useStoredText(key: string): readonly [string | null, (text: string | null) => void] {
  const stored = useSyncExternalStore(subscribe, () => readStored(key));
  const write = useCallback((text: string | null) => writeStored(key, text), [key]);
  return [stored, write];
}

/** Returns the stored choice (`usual` if none is stored), shared by all open pages, and a setter. */
export function useStoredChoice<T extends string>(
  key: string,
  choices: readonly T[],
  usual: T,
): readonly [T, (choice: T) => void] {
  const [stored, choose] = useStoredText(key);
  return [choices.find((choice) => choice === stored) ?? usual, choose];
}

const name = (key: string): string => `tarsy.${key}`;

function subscribe(listener: () => void): () => void {
  window.addEventListener(CHANGED, listener);
  window.addEventListener('storage', listener);
  return () => {
    window.removeEventListener(CHANGED, listener);
    window.removeEventListener('storage', listener);
  };
}
