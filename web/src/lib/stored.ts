import { useCallback, useSyncExternalStore } from 'react';

/** Says inside this page what the browser's own `storage` event says to the other ones. */
const CHANGED = 'tarsy-stored';

/** What the browser remembers under `key`; null when nothing, or when it may not remember. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(name(key));
  } catch {
    return null;
  }
}

/** Remembers `value`; null forgets it. A browser that may not remember goes on without. */
function writeStored(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(name(key));
    else localStorage.setItem(name(key), value);
  } catch {
    // Private windows and full disks: the choice holds for nobody, and nothing else depends on it.
  }
  window.dispatchEvent(new Event(CHANGED));
}

/** A text remembered by the browser and the same in all its open pages; null until one is written, or when it is forgotten. */
export function useStoredText(key: string): readonly [string | null, (text: string | null) => void] {
  const stored = useSyncExternalStore(subscribe, () => readStored(key));
  const write = useCallback((text: string | null) => writeStored(key, text), [key]);
  return [stored, write];
}

/** One of `choices`, remembered by the browser and the same in all its open pages; `usual` until one is made. */
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
