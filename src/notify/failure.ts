/** Reason why a delivery was not accepted. Stable, because warnings and the log show it. */
export type SendProblem =
  | `HTTP_${number}`
  | `SMTP_${number}`
  | `SLACK_${string}`
  | 'TIMEOUT'
  | 'UNREACHABLE'
  | 'PRIVATE_ADDRESS'
  | 'REDIRECT'
  | 'REFUSED'
  | 'TLS'
  | 'STOPPED'
  | 'NO_OBJECT'
  | 'OBJECT_GONE'
  | 'UNEXPECTED_ANSWER'
  | 'INTERNAL';

export interface SendFailure {
  code: SendProblem;
  /** True if a later attempt would fail in the same way. */
  isFinal?: boolean;
  /** True if the receiver is gone for good (HTTP 410). */
  isGone?: boolean;
  /** True if the receiver limits the rate, so that other deliveries to it have to wait, too. */
  isRateLimited?: boolean;
  /** True if the failure says nothing about other deliveries of the channel, so that no warning is raised. */
  isOfDelivery?: boolean;
  /** Delay that the receiver asks for (ms); 0 if it asks for none. */
  retryAfterMs?: number;
}

/** Thrown by a channel if a delivery was not accepted. The message names hosts, never URLs, texts or secrets. */
export class SendError extends Error {
  readonly failure: SendFailure;
  constructor(message: string, failure: SendFailure, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SendError';
    this.failure = failure;
  }
}

/** True if an error code of Node.js says that the peer offers no valid TLS, such as an expired certificate. */
export function isTlsCode(code: string): boolean {
  return /CERT|TLS|SSL|SIGNED|SIGNATURE/.test(code);
}
