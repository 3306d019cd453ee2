import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from '@slack/web-api/dist/errors.js'; // without the client, which only processes with Slack load

/** Classified failure of a Slack call. Contains a code only, nothing that was sent or returned. */
export interface SlackFailure {
  code: string;
  /** True if a later attempt may succeed. */
  isTemporary: boolean;
  /** True if Slack may have executed the call despite the failure. */
  mayHaveSucceeded: boolean;
  /** Delay that Slack asks for (ms); 0 if it asks for none. */
  retryAfterMs: number;
}

export class SlackCallError extends Error {
  readonly failure: SlackFailure;
  constructor(failure: SlackFailure) {
    super(failure.code);
    this.name = 'SlackCallError';
    this.failure = failure;
  }
}

/** Longest delay that Slack may ask for (ms), because messages and requests of users wait for it. Slack's own are shorter. */
const MAX_RETRY_AFTER_MS = 3_600_000;

const limitedDelay = (ms: number): number => Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);

/** Error codes after which Slack may or may not have executed the call. */
const OUTCOME_UNKNOWN = new Set(['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout']);
const RETRYABLE = new Set(['ratelimited', 'rate_limited', 'team_added_to_org', 'accesslimited']);
const THREAD_GONE = new Set([
  'thread_not_found',
  'message_not_found',
  'invalid_thread_ts',
  'cannot_reply_to_message',
]);

/** Error codes of connections that failed before anything was sent. */
const NOT_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'PROXY_UNAVAILABLE',
  'PROXY_REFUSED',
]);

/** Error codes that persist until an operator changes the token, its scopes or the channel. */
const SETUP_ERRORS: ReadonlySet<string> = new Set([
  'not_authed',
  'invalid_auth',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'missing_scope',
  'no_permission',
  'ekm_access_denied',
  'org_login_required',
  'channel_not_found',
  'not_in_channel',
  'is_archived',
  'restricted_action',
]);

export function isSetupProblem({ code }: SlackFailure): boolean {
  return SETUP_ERRORS.has(code);
}

/** True if Slack refused a call unread because there were too many. */
export function isRateLimit({ code }: SlackFailure): boolean {
  return code === 'ratelimited' || code === 'rate_limited';
}

export function isThreadGone({ code }: SlackFailure): boolean {
  return THREAD_GONE.has(code);
}

/** True if a message is not, or no longer, a stream of the app: ended by the app, by a user, or by Slack after 5 minutes. */
export function isStreamOver(code: string): boolean {
  return code === 'message_not_in_streaming_state' || code === 'stopped_by_user';
}

export function slackFailure(error: unknown): SlackFailure {
  if (error instanceof WebAPIRateLimitedError) {
    return failure('ratelimited', {
      mayHaveSucceeded: false,
      retryAfterMs: limitedDelay(error.retryAfter * 1000),
    });
  }
  if (error instanceof WebAPIHTTPError) {
    const isTemporary = error.statusCode >= 500;
    return failure(`http_${error.statusCode}`, { isTemporary, mayHaveSucceeded: isTemporary });
  }
  if (error instanceof WebAPIPlatformError) return refusal(error.data.error);
  const isSent = !(error instanceof WebAPIRequestError && NOT_SENT.has(causeCode(error.original)));
  return failure('unreachable', { mayHaveSucceeded: isSent });
}

/** Returns a failure that by default is temporary and may have succeeded. */
export function failure(code: string, rest: Partial<SlackFailure> = {}): SlackFailure {
  return { code, isTemporary: true, mayHaveSucceeded: true, retryAfterMs: 0, ...rest };
}

function refusal(code: unknown): SlackFailure {
  // A proxy between TARSy and Slack may answer with a page instead of a code.
  if (typeof code !== 'string' || !/^[a-z0-9_]{1,60}$/.test(code)) return failure('bad_answer');
  if (OUTCOME_UNKNOWN.has(code)) return failure(code);
  return failure(code, { isTemporary: RETRYABLE.has(code), mayHaveSucceeded: false });
}

function causeCode(error: unknown): string {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return '';
}
