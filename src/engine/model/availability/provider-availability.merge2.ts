import { CIRCUIT_FAILURES, CIRCUIT_OPEN_MS } from '../../tunables.ts';
import type { Trigger } from './provider-availability.ts';

/** Which providers should not be turned to just now, by their names in the configuration: what all agents of a process know. */
export interface Circuits {
  /** Whether a call may be made. Once an open circuit has waited, one caller after another may try, each after the same wait. */
  admits(provider: string): boolean;
  /** Whether it would be left alone now. */
  isOpen(provider: string): boolean;
  /** It could not be had. */
  failed(provider: string, reason: Trigger['reason']): void;
  /** It took a call. */
  answered(provider: string): void;
}

/** @param told when a circuit opens and closes */
export function createCircuits(
  told: (provider: string, open: boolean) => void,
  now: () => number = () => performance.now(),
): Circuits {
  const failures = new Map<string, { inARow: number; openUntil: number | null }>();
  return {
    admits(provider) {
      const known = failures.get(provider);
      if (known === undefined || known.openUntil === null) return true;
      if (now() < known.openUntil) return false;
      known.openUntil = now() + CIRCUIT_OPEN_MS; // the others wait for what this one finds
      return true;
    },
    isOpen(provider) {
      const until = failures.get(provider)?.openUntil ?? null;
      return until !== null && now() < until;
    },
    failed(provider, reason) {
      if (reason === 'TOO_LONG') return; // somebody took the call
      const known = failures.get(provider) ?? { inARow: 0, openUntil: null };
      const inARow = known.inARow + 1;
      const opens = reason === 'REFUSED' || inARow >= CIRCUIT_FAILURES || known.openUntil !== null;
      failures.set(provider, { inARow, openUntil: opens ? now() + CIRCUIT_OPEN_MS : null });
      if (opens && known.openUntil === null) told(provider, true);
    },
    answered(provider) {
      const known = failures.get(provider);
      failures.delete(provider);
      if (known !== undefined && known.openUntil !== null) told(provider, false);
    },
  };
}
