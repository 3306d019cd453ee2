import type { FallbackReason } from '../../../db/enums.ts';
import { LlmError } from '../errors.ts';

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
