import type { ApiErrorCode } from './error-codes/api.ts';

/**
 * Base of the errors that clients see. Each has a stable code; the API masks every other error.
 *
 *   EngineError
 *   ├─ ValidationError     VALIDATION          wrong input; `field` names the part
 *   ├─ AlertTooLargeError  ALERT_TOO_LARGE
 *   ├─ TooManyAlertsError  QUEUE_FULL, RATE_LIMITED   valid input; retry later
 *   ├─ NotFoundError       NOT_FOUND
 *   ├─ ConflictError       CONFLICT            valid input, but the state does not allow it
 *   ├─ ForbiddenError      FORBIDDEN           the viewer lacks a right
 *   └─ ShuttingDownError   SHUTTING_DOWN       this process accepts no more work
 */
export abstract class EngineError extends Error {
  abstract readonly code: ApiErrorCode;
  override get name(): string {
    return this.constructor.name;
  }
}

/** The input is wrong; the message says what is wrong and how to correct it. */
export class ValidationError extends EngineError {
  readonly code = 'VALIDATION';
  /** Path of the wrong input field (`runbookUrl`, `mcp.servers.0.name`); `null` if the whole input is wrong. */
  readonly field: string | null;
  constructor(message: string, field: string | null = null) {
    super(message);
    this.field = field;
  }
}

/** The alert's text exceeds the limit; both sizes are in UTF-8 bytes. */
export class AlertTooLargeError extends EngineError {
  readonly code = 'ALERT_TOO_LARGE';
  readonly maxBytes: number;
  readonly actualBytes: number;
  constructor(maxBytes: number, actualBytes: number) {
    super(
      `The alert has ${actualBytes} bytes, ${actualBytes - maxBytes} more than the limit of ${maxBytes}. Send the part that matters and say where to find the rest.`,
    );
    this.maxBytes = maxBytes;
    this.actualBytes = actualBytes;
  }
}

/** The queue is full or the sender exceeds its rate limit; the sender may retry after `retryAfterSeconds`. */
export class TooManyAlertsError extends EngineError {
  readonly code: 'QUEUE_FULL' | 'RATE_LIMITED';
  readonly retryAfterSeconds: number;
  constructor(code: 'QUEUE_FULL' | 'RATE_LIMITED', retryAfterSeconds: number, message: string) {
    super(message);
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export class NotFoundError extends EngineError {
  readonly code = 'NOT_FOUND';
}

export class ConflictError extends EngineError {
  readonly code = 'CONFLICT';
}

export class ForbiddenError extends EngineError {
  readonly code = 'FORBIDDEN';
  /** The lowest role that suffices; `null` if no role does. */
  readonly requiredRole: 'VIEWER' | 'RESPONDER' | 'ADMIN' | null;
  constructor(message: string, requiredRole: ForbiddenError['requiredRole']) {
    super(message);
    this.requiredRole = requiredRole;
  }
}

/** This process is stopping and accepts no more work; the client may retry a few seconds later. */
export class ShuttingDownError extends EngineError {
  readonly code = 'SHUTTING_DOWN';
  constructor() {
    super('This process is shutting down. Send the request again in a few seconds.');
  }
}
