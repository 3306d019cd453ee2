import type { ServiceError } from '@grpc/grpc-js';
import { Status as status } from '@grpc/grpc-js/build/src/constants.js'; // without the client, which only workers load
import type { FallbackReason } from '../api/observer.ts';

/**
 * The error of a failed LLM call, with a stable `code`. Codes of the LLM service (ErrorInfo) pass through unchanged.
 * The client adds these:
 *
 *   llm_service_unavailable  no connection, or the service refused the call before its first message   retryable
 *   stream_broken            the stream stopped before its final message                               retryable
 *   first_token_timeout      nothing came within the first-token limit                                 retryable
 *   stall_timeout            the stream went silent for longer than the stall limit                    retryable
 *   llm_call_timeout         the whole call took longer than its limit                                 retryable
 *   message_too_large        request or response is larger than the message limit
 *   invalid_response         the service sent something that is not a response
 *   llm_service_error        the service rejected the call
 *   client_closed            this client was closed
 */
export class LlmError extends Error {
  readonly code: string;
  /** True if the same request may succeed later. */
  readonly retryable: boolean;
  /** The wait that the provider asks for (ms); 0 if it asks for none. */
  readonly retryAfterMs: number;
  /** The provider's HTTP status; 0 if there is none. */
  readonly httpStatus: number;
  constructor(
    code: string,
    message: string,
    retryable: boolean,
    options: ErrorOptions & { retryAfterMs?: number; httpStatus?: number } = {},
  ) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs ?? 0;
    this.httpStatus = options.httpStatus ?? 0;
    this.name = 'LlmError';
    this.code = code;
    this.retryable = retryable;
  }
}

/** Statuses of a service that understood the call and will never accept it. */
const REJECTIONS: ReadonlySet<status> = new Set([
  status.INVALID_ARGUMENT,
  status.NOT_FOUND,
  status.ALREADY_EXISTS,
  status.PERMISSION_DENIED,
  status.UNAUTHENTICATED,
  status.FAILED_PRECONDITION,
  status.OUT_OF_RANGE,
  status.UNIMPLEMENTED,
]);

/** The longest status text in an error message: enough to find the cause, too short to contain a prompt. */
const DETAILS_LENGTH = 300;

/** Returns the LlmError for a gRPC status. `started`: at least one message of the call had arrived. */
export function errorFromStatus(error: ServiceError, started: boolean): LlmError {
  const details = error.details.slice(0, DETAILS_LENGTH);
  const reason = `${details} (${status[error.code] ?? error.code})`;
  const make = (code: string, text: string, retryable: boolean) =>
    new LlmError(code, `${text}: ${reason}`, retryable, { cause: error });

  if (error.code === status.DEADLINE_EXCEEDED) {
    return make('llm_call_timeout', 'The LLM call took too long', true);
  }
  if (error.code === status.RESOURCE_EXHAUSTED && /larger than/i.test(details)) {
    return make('message_too_large', 'A message of the LLM call is too large', false);
  }
  if (error.code === status.INTERNAL && /parsing error/i.test(details)) {
    return make('invalid_response', 'The LLM service sent an unreadable response', false);
  }
  if (REJECTIONS.has(error.code)) {
    return make('llm_service_error', 'The LLM service rejected the call', false);
  }
  if (started) return make('stream_broken', 'The LLM stream was interrupted', true);
  if (error.code === status.UNAVAILABLE || error.code === status.RESOURCE_EXHAUSTED) {
    return make('llm_service_unavailable', 'The LLM service cannot be reached', true);
  }
  return make('stream_broken', 'The LLM call was interrupted', true);
}

export function isServiceError(value: unknown): value is ServiceError {
  return value instanceof Error && 'code' in value && typeof value.code === 'number' && 'details' in value;
}

/** The failure of an agent's model call, with the text that had arrived. The call's timeline items are closed. */
export class ModelCallError extends Error {
  readonly partialText: string;
  /** True if tool calls had arrived; none of them runs. */
  readonly hadToolCalls: boolean;
  constructor(cause: unknown, partialText: string, hadToolCalls = false) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'ModelCallError';
    this.partialText = partialText;
    this.hadToolCalls = hadToolCalls;
  }
}

export function isTooLong({ cause }: ModelCallError): boolean {
  return cause instanceof LlmError && cause.code === 'context_too_long';
}

/** Returns "rate_limited: …" for an LlmError, otherwise the message. */
export function describeError(error: unknown): string {
  if (error instanceof LlmError) return `${error.code}: ${error.message}`;
  // The platform's message for a time limit does not say what was limited.
  if (error instanceof Error && error.name === 'TimeoutError')
    return 'timeout: the time limit of this step was reached';
  return error instanceof Error ? error.message : String(error);
}

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
