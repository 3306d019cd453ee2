import { createHmac } from 'node:crypto';

/** One alert as a test reports it. */
export interface Told {
  id: string;
  isOver?: boolean;
  /** The firing period, for the sender's ids, and when it began and ended. Default: one period at fixed times. */
  period?: string;
  since?: string;
  until?: string;
  /** When the sender makes this report. Default: the begin or the end of the period. */
  at?: string;
  /** The sender's id of this report. */
  report?: string;
  /** True to leave out every optional field. */
  isBare?: boolean;
  title?: string;
}

/** How a sender type writes a delivery and its proof. */
export interface Sender {
  /** The proof in the configuration. Default: a token. */
  config?: Record<string, unknown>;
  /** The headers of a delivery. Default: the token. */
  proof?: (body: string, secret: string) => Record<string, string>;
  headers?: Record<string, string>;
  /** True if the sender never tells that an alert is over. */
  neverEnds?: true;
  /** True if nothing in a report tells when it was made, so that a late report cannot be told from a new one. */
  tellsNoTime?: true;
  alert(told: Told): Record<string, unknown>;
  /** Several alerts in one delivery, if the format allows it. */
  several?: (told: readonly Told[]) => unknown;
  /** The group key of an alert. */
  group: (id: string) => unknown;
}

export const hmac = (body: string, secret: string) => createHmac('sha256', secret).update(body).digest('hex');
