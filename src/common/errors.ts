/**
 * Errors that the engine declares. Each has a stable code; the API shows exactly these to a client and
 * masks everything else.
 *
 *   EngineError
 *   ├─ ValidationError     VALIDATION          the input is wrong; `field` names which part
 *   ├─ AlertTooLargeError  ALERT_TOO_LARGE
 *   ├─ TooManyAlertsError  QUEUE_FULL, RATE_LIMITED   right input, send it again later
 *   ├─ NotFoundError       NOT_FOUND
 *   ├─ ConflictError       CONFLICT            right input, wrong moment
 *   ├─ ForbiddenError      FORBIDDEN           not for this viewer
 *   └─ ShuttingDownError   SHUTTING_DOWN       this process takes no more work
 */
export abstract class EngineError extends Error {
  abstract readonly code: string;
  override get name(): string {
    return this.constructor.name;
  }
}

/** The input is wrong; the message says what and how to mend it. */
export class ValidationError extends EngineError {
  readonly code = 'VALIDATION';
  /** Path of the offending input field (`runbookUrl`, `mcp.servers.0.name`), or null for the input as a whole. */
  readonly field: string | null;
  constructor(message: string, field: string | null = null) {
    super(message);
    this.field = field;
  }
}

/** The alert's text is larger than the limit; both sizes are in UTF-8 bytes. */
export class AlertTooLargeError extends EngineError {
  readonly code = 'ALERT_TOO_LARGE';
  readonly maxBytes: number;
  readonly actualBytes: number;
  constructor(maxBytes: number, actualBytes: number) {
    super(
      `The alert has ${actualBytes} bytes, ${actualBytes - maxBytes} more than the limit of ${maxBytes}. Send the part that matters and name where the rest can be found.`,
    );
    this.maxBytes = maxBytes;
    this.actualBytes = actualBytes;
  }
}

/** The alert was not taken because there are too many; the same one may be sent again later. */
export class TooManyAlertsError extends EngineError {
  readonly code: 'QUEUE_FULL' | 'RATE_LIMITED';
  /** When it makes sense to send it again. */
  readonly retryAfterSeconds: number;
  constructor(code: 'QUEUE_FULL' | 'RATE_LIMITED', retryAfterSeconds: number, message: string) {
    super(message);
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The thing named does not exist (any more). */
export class NotFoundError extends EngineError {
  readonly code = 'NOT_FOUND';
}

/** The thing exists but its state does not allow this. */
export class ConflictError extends EngineError {
  readonly code = 'CONFLICT';
}

/** The viewer's role, team or token does not allow it. */
export class ForbiddenError extends EngineError {
  readonly code = 'FORBIDDEN';
  /** The lowest role that would do; null when no role does. */
  readonly requiredRole: 'VIEWER' | 'RESPONDER' | 'ADMIN' | null;
  constructor(message: string, requiredRole: ForbiddenError['requiredRole']) {
    super(message);
    this.requiredRole = requiredRole;
  }
}

/** The process is stopping and takes no more work; another one, or the same after its restart, will. */
export class ShuttingDownError extends EngineError {
  readonly code = 'SHUTTING_DOWN';
  constructor() {
    super('This process is shutting down. Send the request again in a few seconds.');
  }
}
