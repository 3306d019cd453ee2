import type { FallbackReason } from '../../api/observer.ts';

/** Failures in a row, over all agents of a process, that open a circuit. A refusal (key, quota) opens it at once. */
export const CIRCUIT_FAILURES = 3;

/**
 * Time (ms) for which an open circuit keeps calls away from a provider, if another one can take them. After
 * that, one call may try the provider.
 */
export const CIRCUIT_OPEN_MS = 60_000;

/** The first and the longest wait (ms) before a call is repeated after an outage. The wait doubles in between. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 10_000;

/**
 * The health of each provider, as observed by all agents of a process. While another provider can take a
 * call, the circuit decides if the provider is tried. If none can, the back-off decides how long to wait
 * before the next try.
 */
export interface ProviderAvailability {
  /**
   * True if a call may be made now. An open circuit admits one call after CIRCUIT_OPEN_MS, and one more after
   * each further CIRCUIT_OPEN_MS.
   */
  admits(provider: string): boolean;
  /** True while the circuit keeps calls away. Unlike `admits`, this method changes nothing. */
  isOpen(provider: string): boolean;
  failed(provider: string, reason: FallbackReason): void;
  /** Closes the circuit and ends the back-off because the provider answered a call. */
  answered(provider: string): void;
  /**
   * Extends the back-off after an outage.
   * @param askedMs the wait that the provider asks for; 0 if none
   * @returns the wait before the next call (ms)
   */
  backOff(provider: string, askedMs?: number): number;
  /** Aborts as soon as the provider answers a call, of any agent. */
  untilAnswered(provider: string): AbortSignal;
}

interface Health {
  failuresInARow: number;
  /** `null` if the circuit is closed. */
  openUntil: number | null;
  outagesInARow: number;
  waitUntil: number;
  answered: AbortController;
}

const HEALTHY = { failuresInARow: 0, openUntil: null, outagesInARow: 0, waitUntil: 0 };

/** @param onCircuit called when a circuit opens or closes */
export function createProviderAvailability(
  onCircuit: (provider: string, open: boolean) => void,
  { now = () => performance.now(), random = Math.random } = {},
): ProviderAvailability {
  const providers = new Map<string, Health>();
  const healthOf = (provider: string): Health => {
    const health = providers.get(provider) ?? { ...HEALTHY, answered: new AbortController() };
    providers.set(provider, health);
    return health;
  };
  return {
    admits(provider) {
      const health = healthOf(provider);
      if (health.openUntil === null) return true;
      if (now() < health.openUntil) return false;
      health.openUntil = now() + CIRCUIT_OPEN_MS; // other callers wait for the outcome of this one
      return true;
    },
    isOpen(provider) {
      const { openUntil } = healthOf(provider);
      return openUntil !== null && now() < openUntil;
    },
    failed(provider, reason) {
      if (reason === 'TOO_LONG') return; // the provider answered the call
      const health = healthOf(provider);
      const wasOpen = health.openUntil !== null;
      health.failuresInARow += 1;
      if (reason !== 'REFUSED' && health.failuresInARow < CIRCUIT_FAILURES && !wasOpen) return;
      health.openUntil = now() + CIRCUIT_OPEN_MS;
      if (!wasOpen) onCircuit(provider, true);
    },
    answered(provider) {
      const health = providers.get(provider);
      if (health === undefined) return;
      const wasOpen = health.openUntil !== null;
      providers.delete(provider);
      health.answered.abort();
      if (wasOpen) onCircuit(provider, false);
    },
    backOff(provider, askedMs = 0) {
      const health = healthOf(provider);
      const at = now();
      if (at < health.waitUntil) {
        // This call was already under way when another one failed: the same outage is not counted twice.
        health.waitUntil = Math.max(health.waitUntil, at + askedMs);
      } else {
        const longestMs = Math.min(FIRST_WAIT_MS * 2 ** health.outagesInARow, LONGEST_WAIT_MS);
        health.waitUntil = at + Math.max(longestMs * (0.5 + random() / 2), askedMs);
        health.outagesInARow += 1;
      }
      return (health.waitUntil - at) * (1 + random() / 10); // agents do not return at the same moment
    },
    untilAnswered: (provider) => healthOf(provider).answered.signal,
  };
}
