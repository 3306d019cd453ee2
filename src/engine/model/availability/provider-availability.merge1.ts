import { LlmError } from '../errors.ts';

/**
 * Failures that say nothing about the request, only that nobody is there to take it just now: the LLM service or its
 * provider is unreachable, refuses as busy, fails by itself (5xx), or says nothing at all. Waiting helps; another
 * iteration does not.
 */
const OUTAGE_CODES: ReadonlySet<string> = new Set([
  'llm_service_unavailable',
  'first_token_timeout',
  'service_stopping',
  'transport',
  'rate_limited',
  'provider_unavailable',
  'initial_timeout',
  'max_retries',
]);

export function isOutage(error: unknown): error is LlmError {
  return error instanceof LlmError && OUTAGE_CODES.has(error.code);
}

/** Milliseconds until a provider that could not be had is tried again: first, doubling, and at most. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** Which providers could not be had lately, for all agents of a process: one that knows spares the others the try. */
export interface LlmOutages {
  /** Milliseconds until the provider should be tried again; 0 = now. */
  waitMs(provider: string): number;
  /** It could not be had; `askedMs` is what it asks to wait, in milliseconds. */
  failed(provider: string, askedMs?: number): void;
  /** It answered. */
  ended(provider: string): void;
}

export function createLlmOutages(random: () => number = Math.random): LlmOutages {
  const outages = new Map<string, { failures: number; until: number }>();
  return {
    waitMs(provider) {
      const left = (outages.get(provider)?.until ?? 0) - performance.now();
      return left > 0 ? left * (1 + random() / 10) : 0; // not all at the same moment
    },
    failed(provider, askedMs = 0) {
      const { failures, until } = outages.get(provider) ?? { failures: 0, until: 0 };
      const now = performance.now();
      if (now < until) {
        // The others that were under way when the first failed: they can only be told to wait longer.
        outages.set(provider, { failures, until: Math.max(until, now + askedMs) });
        return;
      }
      const longest = Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS);
      const waitMs = Math.max(longest * (0.5 + random() / 2), askedMs);
      outages.set(provider, { failures: failures + 1, until: now + waitMs });
    },
    ended(provider) {
      outages.delete(provider);
    },
  };
}
