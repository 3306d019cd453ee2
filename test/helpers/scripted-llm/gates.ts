/** Named points at which scripted responses wait for the test. */
export interface Gates {
  /** Resolves once `count` calls have reached the gate since the start. */
  reached(name: string, count?: number): Promise<void>;
  /** Lets all current and later calls pass. */
  open(name: string): void;
  /** Waits at the gate; resolves early when the signal aborts. */
  pass(name: string, signal: AbortSignal): Promise<void>;
}

interface Gate {
  arrived: number;
  watchers: { count: number; resolve: () => void }[];
  opened: Promise<void>;
  open: () => void;
}

export function createGates(): Gates {
  const gates = new Map<string, Gate>();
  const gate = (name: string): Gate => {
    const known = gates.get(name);
    if (known !== undefined) return known;
    const { promise, resolve } = Promise.withResolvers<void>();
    const made: Gate = { arrived: 0, watchers: [], opened: promise, open: resolve };
    gates.set(name, made);
    return made;
  };
  return {
    reached(name, count = 1) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const { arrived, watchers } = gate(name);
      if (arrived >= count) resolve();
      else watchers.push({ count, resolve });
      return promise;
    },
    open: (name) => gate(name).open(),
    async pass(name, signal) {
      const here = gate(name);
      here.arrived += 1;
      for (const { count, resolve } of here.watchers) if (here.arrived >= count) resolve();
      await Promise.race([here.opened, aborted(signal)]);
    },
  };
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener('abort', () => resolve(), { once: true });
  return promise;
}
