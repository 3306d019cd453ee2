import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from '@slack/web-api';

/** What a failed call means. Holds nothing of what was sent or answered but a code. */
export interface SlackFailure {
  code: string;
  /** Whether it may go better later. */
  isTemporary: boolean;
  /** Whether Slack may have done what it was asked all the same. */
  mayBeDone: boolean;
  /** What Slack asks to wait, in milliseconds. */
  retryAfterMs: number;
}

/** A call that failed. */
export class SlackCallError extends Error {
  readonly failure: SlackFailure;
  constructor(failure: SlackFailure) {
    super(failure.code);
    this.name = 'SlackCallError';
    this.failure = failure;
  }
}

/** Answers after which Slack may or may not have done it. */
const UNSURE: ReadonlySet<string> = new Set([
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
]);
const LATER: ReadonlySet<string> = new Set([
  'ratelimited',
  'rate_limited',
  'team_added_to_org',
  'accesslimited',
]);

/** The connection did not come about, so nothing was sent. */
const NOT_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Refusals that no message will get past until somebody changes token, scopes or channel. */
const SETUP: ReadonlySet<string> = new Set([
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

/** Whether Slack cannot be used as it is set up. */
export function isSetupProblem({ code }: SlackFailure): boolean {
  return SETUP.has(code);
}

/** The thread that a reply was for is gone. */
export function isThreadGone({ code }: SlackFailure): boolean {
  return ['thread_not_found', 'message_not_found', 'invalid_thread_ts', 'cannot_reply_to_message'].includes(
    code,
  );
}

/** What an error of the library means. */
export function slackFailure(error: unknown): SlackFailure {
  const failure = (code: string, rest: Partial<SlackFailure> = {}): SlackFailure => ({
    code,
    isTemporary: true,
    mayBeDone: true,
    retryAfterMs: 0,
    ...rest,
  });
  if (error instanceof WebAPIRateLimitedError) {
    return failure('ratelimited', { mayBeDone: false, retryAfterMs: error.retryAfter * 1000 });
  }
  if (error instanceof WebAPIHTTPError) {
    return failure(`http_${error.statusCode}`, {
      isTemporary: error.statusCode >= 500,
      mayBeDone: error.statusCode >= 500,
    });
  }
  if (error instanceof WebAPIPlatformError) return refusal(error.data.error, failure);
  if (error instanceof WebAPIRequestError) {
    const code = causeCode(error.original);
    return failure('unreachable', { mayBeDone: !NOT_SENT.has(code) });
  }
  return failure('unreachable');
}

function refusal(
  code: unknown,
  failure: (code: string, rest?: Partial<SlackFailure>) => SlackFailure,
): SlackFailure {
  // What is no code is a page of whatever stands between Slack and us.
  if (typeof code !== 'string' || !/^[a-z0-9_]{1,60}$/.test(code)) return failure('bad_answer');
  if (UNSURE.has(code)) return failure(code);
  return failure(code, { isTemporary: LATER.has(code), mayBeDone: false });
}

function causeCode(error: unknown): string {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return '';
}
