import type { ErrorCode } from './types.ts';

/** A code of a failed model call. */
interface LlmErrorCode extends ErrorCode {
  /** True if the same request may succeed later. */
  readonly retryable: boolean;
}

type LlmErrorCodes = Readonly<Record<string, LlmErrorCode>>;

const QUOTA =
  'Raise the quota at the provider, or lower [`queue.max_concurrent_sessions`](configuration/queue.md)';
const STATUS = 'Look at the status page of the provider; name a [fallback](../how-to/configure/fallback.md)';
const SERVICE_LOG = 'Look at the log of the LLM service';

/** Codes of the LLM service, in `ErrorInfo`. */
export const LLM_SERVICE_ERRORS = {
  invalid_request: {
    retryable: false,
    cause:
      'The request breaks the contract, or the provider refuses it (400, 404). A 404 of Vertex AI is retried first',
    remedy: 'Correct the model and the keys of the [provider](configuration/llm_providers.md)',
  },
  backend_not_available: {
    retryable: false,
    cause: 'The service has no such backend',
    remedy: 'Use the same version of engine and LLM service',
  },
  missing_credentials: {
    retryable: false,
    cause: 'The variable of the key is not set; the message names it',
    remedy: 'Set the variable in the environment of the LLM service',
  },
  invalid_credentials: {
    retryable: false,
    cause: 'The provider refuses the key (401, 403; xAI also 400)',
    remedy: 'Correct the key',
  },
  context_too_long: {
    retryable: false,
    cause: 'The conversation is longer than the model can read; the engine shortens it and asks once more',
    remedy: 'Correct `context_window` of the provider, or use a model with a larger window',
  },
  content_blocked: {
    retryable: false,
    cause: 'A filter of the provider, or a refusal of the model',
    remedy: 'Read the message; try another model',
  },
  output_truncated: {
    retryable: false,
    cause:
      'The answer reached the [output limit](llm-service.md#messages) with a tool call, or before any text; an agent asks for a shorter one',
    remedy: 'Raise `max_output_tokens`, or lower `thinking_budget`',
  },
  max_retries: {
    retryable: true,
    cause: 'Rate limit, overload or 5xx, through all retries',
    remedy: QUOTA,
  },
  rate_limited: {
    retryable: true,
    cause:
      'The provider asks for a wait of more than a minute; or a quota, credit or spending limit is used up, which counts as a wait of a day',
    remedy: QUOTA,
  },
  provider_unavailable: {
    retryable: true,
    cause: 'The provider is overloaded or answers 5xx, before all retries are used',
    remedy: STATUS,
  },
  transport: {
    retryable: true,
    cause: 'The provider cannot be reached',
    remedy: 'Look at network, [proxy](../how-to/install/forward-proxy.md) and `base_url`',
  },
  certificate: {
    retryable: false,
    cause: 'The certificate of the provider or proxy is not trusted',
    remedy:
      'Name [a file with all authorities](../how-to/install/forward-proxy.md#certificates), also yours, in `SSL_CERT_FILE`',
  },
  unexpected_answer: {
    retryable: false,
    cause: 'A web page or JSON came instead of a stream',
    remedy: 'Correct `base_url`',
  },
  initial_timeout: {
    retryable: true,
    cause: 'No first token within `LLM_FIRST_TOKEN_SECONDS`',
    remedy: STATUS,
  },
  stall_timeout: {
    retryable: true,
    cause:
      'Silence for `LLM_STALL_SECONDS` within an answer; pings and comments of the provider count as activity',
    remedy: STATUS,
  },
  partial_stream_error: {
    retryable: true,
    cause: 'The provider ended the stream after it had sent something',
    remedy: STATUS,
  },
  empty_response: {
    retryable: true,
    cause: 'The model answered nothing, through all retries; agents do not wait for it',
    remedy: 'Use another model',
  },
  malformed_tool_call: {
    retryable: true,
    cause: 'The model wrote a tool call that cannot be read; agents do not wait for it',
    remedy: 'Use another model; for llama.cpp start the server with `--jinja`',
  },
  provider_error: { retryable: true, cause: 'The provider failed in another way', remedy: STATUS },
  service_stopping: {
    retryable: true,
    cause: 'The LLM service is shutting down',
    remedy: 'Nothing: the call is repeated',
  },
  internal: { retryable: false, cause: 'The LLM service has a defect', remedy: SERVICE_LOG },
} as const satisfies LlmErrorCodes;

/** Codes that the engine adds to those of the LLM service. */
export const LLM_ENGINE_ERRORS = {
  llm_service_unavailable: {
    retryable: true,
    cause: 'The LLM service cannot be reached, or refused the call before its first message',
    remedy: 'Start the service, or correct `LLM_SERVICE_ADDR`',
  },
  stream_broken: {
    retryable: true,
    cause: 'The stream of the LLM service ended before its last message',
    remedy: SERVICE_LOG,
  },
  first_token_timeout: {
    retryable: true,
    cause: 'Nothing came within [`defaults.timeouts.llm_first_token`](configuration/defaults.md)',
    remedy: STATUS,
  },
  llm_call_timeout: {
    retryable: true,
    cause: 'The call took longer than [`defaults.timeouts.llm_call`](configuration/defaults.md)',
    remedy: 'Raise the limit, or use a faster model',
  },
  llm_outage: {
    retryable: false,
    cause:
      'The model was unavailable for longer than [`defaults.timeouts.llm_outage`](configuration/defaults.md), or asks for a longer wait',
    remedy: STATUS,
  },
  loop_detected: {
    retryable: false,
    cause: 'The model repeats itself without end, so the engine ends the answer',
    remedy: 'Use another model',
  },
  message_too_large: {
    retryable: false,
    cause: 'A request or response is larger than a message may be',
    remedy: 'Lower `max_tool_result_tokens` of the provider',
  },
  invalid_response: {
    retryable: false,
    cause: 'The LLM service sent something that is not a response',
    remedy: 'Use the same version of engine and LLM service',
  },
  llm_service_error: { retryable: false, cause: 'The LLM service rejected the call', remedy: SERVICE_LOG },
  client_closed: {
    retryable: false,
    cause: 'The process is stopping',
    remedy: 'Nothing: another worker resumes',
  },
} as const satisfies LlmErrorCodes;
