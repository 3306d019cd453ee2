import { createHmac } from 'node:crypto';

/** An alert as a test wants it reported. */
export interface Told {
  id: string;
  isOver?: boolean;
  /**
   * Firing period, which the sender's ids contain, and its start and end. Default: one period at fixed times.
   */
  period?: string;
  since?: string;
  until?: string;
  /** Time at which the sender makes the report. Default: the start or end of the period. */
  at?: string;
  /** The sender's id of the report. */
  report?: string;
  /** True to leave out every optional field. */
  isBare?: boolean;
  title?: string;
}

/** A type of sender: how it writes a delivery and proves its identity. */
export interface Sender {
  /** Proof of identity in the source's configuration. Default: a token. */
  config?: Record<string, unknown>;
  /** Returns the headers that prove a delivery's origin. Default: the token. */
  proof?: (body: string, secret: string) => Record<string, string>;
  headers?: Record<string, string>;
  /** True if the sender does not report the end of an alert. */
  neverEnds?: true;
  /** True if a report contains no time, so that a late report looks like a new one. */
  tellsNoTime?: true;
  alert(told: Told): Record<string, unknown>;
  /** Returns one delivery with several alerts, if the sender's format allows that. */
  several?: (told: readonly Told[]) => unknown;
  /** Returns the key of the group to which an alert belongs. */
  group: (id: string) => unknown;
}

export const hmac = (body: string, secret: string) => createHmac('sha256', secret).update(body).digest('hex');
