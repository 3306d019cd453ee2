import type { SourceConfig } from '../config/types.ts';
import type { AlertState, Severity } from '../db/enums.ts';

/** One request of a sender, as it came. */
export interface Delivery {
  readonly body: Buffer;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Of the address it was sent to. */
  readonly query: URLSearchParams;
}

export type TextMap = Readonly<Record<string, string>>;

/** One alert as a source tells of it. Nothing is masked yet; every text is bounded. */
export interface IncomingAlert {
  /** The same in each delivery about this alert, and no other alert of the source has it. */
  readonly fingerprint: string;
  /** What the source itself investigates together; null: each alert for itself. */
  readonly groupKey: string | null;
  /** The source's own mark of one run of firing; null: it has none. */
  readonly episode: string | null;
  readonly title: string;
  readonly severity: Severity;
  readonly state: AlertState;
  readonly labels: TextMap;
  readonly annotations: TextMap;
  /** Null: the source does not say. */
  readonly startsAt: Date | null;
  readonly endsAt: Date | null;
  /** Where the source shows it: http or https, without credentials. */
  readonly url: string | null;
}

/** What a delivery says. */
export interface ParsedDelivery {
  readonly alerts: readonly IncomingAlert[];
  /** Why it holds no alert, for its sender; null when it does. */
  readonly ignored: string | null;
  /** The sender's own mark of this delivery, covered by its proof where it has one; the same when it is repeated. */
  readonly deliveryKey: string | null;
  /** What was cut or left out, a sentence each. */
  readonly notes: readonly string[];
  /** By what the sender tells of the same alert again, in its own words, where it is to be told. */
  readonly senderKey?: string;
}

/** Reads the deliveries of one type. Pure: bytes in, alerts out. @throws DeliveryRefusedError (UNREADABLE_DELIVERY) */
export type ParseDelivery = (delivery: Delivery, source: SourceConfig) => ParsedDelivery;

/** A delivery that is understood and holds no alert. */
export function ignored(why: string, deliveryKey: string | null = null): ParsedDelivery {
  return { alerts: [], ignored: why, deliveryKey, notes: [] };
}
