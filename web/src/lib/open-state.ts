import { createContext, useCallback, useContext, useEffect, useState, useSyncExternalStore } from 'react';

/** Remembers which sections of a page are open, even while a virtual list does not render them. */
export interface OpenState {
  readonly get: (key: string) => boolean | undefined;
  readonly set: (key: string, open: boolean) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

export function createOpenState(): OpenState {
  const open = new Map<string, boolean>();
  const listeners = new Set<() => void>();
  return {
    get: (key) => open.get(key),
    set: (key, value) => {
      if (open.get(key) === value) return;
      open.set(key, value);
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const OpenStateContext = createContext<OpenState | null>(null);
export const OpenStateProvider = OpenStateContext.Provider;

/** Returns the page's open state; null outside an OpenStateProvider. */
export function useOpenState(): OpenState | null {
  return useContext(OpenStateContext);
}

const never = () => () => undefined;

/**
 * Returns true if a section is open, and a function to change that. With a `key`, an OpenStateProvider remembers the
 * state, also the initial one.
 */
export function useOpen(
  key: string | undefined,
  initial: boolean,
): readonly [boolean, (open: boolean) => void] {
  const shared = useContext(OpenStateContext);
  const memory = key === undefined ? null : shared;
  const [own, setOwn] = useState(initial);
  const remembered = useSyncExternalStore(memory?.subscribe ?? never, () =>
    key === undefined ? undefined : memory?.get(key),
  );
  const open = remembered ?? own;
  useEffect(() => {
    if (key !== undefined && memory?.get(key) === undefined) memory?.set(key, open);
  }, [key, memory, open]);
  const set = useCallback(
    (next: boolean) => {
      setOwn(next);
      if (key !== undefined) memory?.set(key, next);
    },
    [key, memory],
  );
  return [open, set];
}
