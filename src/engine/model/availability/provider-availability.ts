import type { FallbackReason } from '../../../db/enums.ts';
import { LlmError } from '../errors.ts';

/**
 * Failures of a provider in a row, over all agents of a process, after which nobody turns to it for so many milliseconds where
 * another can take its place; then one call at a time tries. One that refuses its key or its quota is left alone at once.
 */
export const CIRCUIT_FAILURES = 3;

export const CIRCUIT_OPEN_MS = 60_000;

/** What a failure of a call means for its provider. */
export interface Trigger {
  reason: Exclude<FallbackReason, 'CIRCUIT_OPEN'>;
  /** How often the same call is made again before another provider is turned to. */
  retries: number;
}

/**
 * By what happened, not by what the provider calls it. What is not here says nothing about the provider (the LLM service is
 * away, our own limits), or would be no better with another: a filter, a request that breaks a rule.
 */
const TRIGGERS: Readonly<Record<string, Trigger>> = {
  missing_credentials: { reason: 'REFUSED', retries: 0 },
  invalid_credentials: { reason: 'REFUSED', retries: 0 },
  backend_not_available: { reason: 'REFUSED', retries: 0 },
  certificate: { reason: 'REFUSED', retries: 0 },
  unexpected_answer: { reason: 'REFUSED', retries: 0 },
  // The service has tried these again, or the provider asks for a longer wait than that.
  max_retries: { reason: 'BUSY', retries: 0 },
  rate_limited: { reason: 'BUSY', retries: 0 },
  provider_unavailable: { reason: 'BUSY', retries: 0 },
  transport: { reason: 'BUSY', retries: 0 },
  initial_timeout: { reason: 'SILENT', retries: 1 },
  first_token_timeout: { reason: 'SILENT', retries: 1 },
  partial_stream_error: { reason: 'BROKEN_OFF', retries: 0 },
  stall_timeout: { reason: 'BROKEN_OFF', retries: 0 },
  llm_call_timeout: { reason: 'BROKEN_OFF', retries: 0 },
  provider_error: { reason: 'BROKEN_OFF', retries: 0 },
  // A model may do so once by chance.
  malformed_tool_call: { reason: 'MALFORMED', retries: 1 },
  empty_response: { reason: 'MALFORMED', retries: 1 },
  context_too_long: { reason: 'TOO_LONG', retries: 0 },
};

const REFUSED: Trigger = { reason: 'REFUSED', retries: 0 };

/** A quota that is used up asks for a wait of this many milliseconds or more: it is not there again within an investigation. */
const QUOTA_MS = 3_600_000;

/** Null: another provider is no answer to it. */
export function triggerOf(error: unknown): Trigger | null {
  if (!(error instanceof LlmError)) return null;
  // The address leads elsewhere, or nobody there knows the model.
  const { code, httpStatus, retryAfterMs } = error;
  if (code === 'invalid_request') {
    const isGone = httpStatus === 404 || (httpStatus >= 300 && httpStatus < 400);
    return isGone ? REFUSED : null;
  }
  if (code === 'rate_limited' && retryAfterMs >= QUOTA_MS) return REFUSED;
  return TRIGGERS[code] ?? null;
}

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
