import type { FallbackReason } from '../../api/observer.ts';
import { LlmError } from '../errors.ts';

/** Remedies for a failed model call, in order: retry, fall back to another provider, wait for the provider. */
export interface ModelErrorClass {
  /** Why the next provider takes over; `null` if another provider would not help. */
  fallbackReason: Exclude<FallbackReason, 'CIRCUIT_OPEN'> | null;
  /** Number of times that the same call is repeated before the next provider takes over. */
  retries: 0 | 1;
  /** True if the provider may accept the same request later. */
  isOutage: boolean;
}

const NO_REMEDY: ModelErrorClass = { fallbackReason: null, retries: 0, isOutage: false };
/** The LLM service is down or stopping. Only waiting helps, because all providers are called through this service. */
const SERVICE_AWAY: ModelErrorClass = { fallbackReason: null, retries: 0, isOutage: true };
const REFUSED: ModelErrorClass = { fallbackReason: 'REFUSED', retries: 0, isOutage: false };
/** The LLM service has already retried, or the provider asks for a longer wait than the service's retries take. */
const BUSY: ModelErrorClass = { fallbackReason: 'BUSY', retries: 0, isOutage: true };
const SILENT: ModelErrorClass = { fallbackReason: 'SILENT', retries: 1, isOutage: true };
const BROKEN_OFF: ModelErrorClass = { fallbackReason: 'BROKEN_OFF', retries: 0, isOutage: false };
/** The model's answer is unusable. Retried once, because such an answer may happen by chance. */
const MALFORMED: ModelErrorClass = { fallbackReason: 'MALFORMED', retries: 1, isOutage: false };
const TOO_LONG: ModelErrorClass = { fallbackReason: 'TOO_LONG', retries: 0, isOutage: false };

/** Remedies by LlmError code. Other codes, such as own limits or a content filter, get NO_REMEDY. */
const CLASSES: Readonly<Record<string, ModelErrorClass>> = {
  llm_service_unavailable: SERVICE_AWAY,
  service_stopping: SERVICE_AWAY,
  missing_credentials: REFUSED,
  invalid_credentials: REFUSED,
  backend_not_available: REFUSED,
  certificate: REFUSED,
  unexpected_answer: REFUSED,
  max_retries: BUSY,
  rate_limited: BUSY,
  provider_unavailable: BUSY,
  transport: BUSY,
  initial_timeout: SILENT,
  first_token_timeout: SILENT,
  partial_stream_error: BROKEN_OFF,
  stall_timeout: BROKEN_OFF,
  llm_call_timeout: BROKEN_OFF,
  provider_error: BROKEN_OFF,
  malformed_tool_call: MALFORMED,
  empty_response: MALFORMED,
  context_too_long: TOO_LONG,
};

/** A rate limit with at least this wait (ms) means an exhausted quota, so that waiting during a run is useless. */
const QUOTA_MS = 3_600_000;

export function classifyModelError(error: unknown): ModelErrorClass {
  if (!(error instanceof LlmError)) return NO_REMEDY;
  const { code, httpStatus, retryAfterMs } = error;
  if (code === 'invalid_request') {
    // The provider's address redirects elsewhere, or the provider does not know the model.
    const isGone = httpStatus === 404 || (httpStatus >= 300 && httpStatus < 400);
    return isGone ? REFUSED : NO_REMEDY;
  }
  if (code === 'rate_limited' && retryAfterMs >= QUOTA_MS) return { ...REFUSED, isOutage: true };
  return CLASSES[code] ?? NO_REMEDY;
}
