import type { SourceConfig } from '../config/types.ts';
import type { AlertState, Severity } from '../db/enums.ts';

/** A sender's HTTP request, with the body as received. */
export interface Delivery {
  readonly body: Buffer;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly query: URLSearchParams;
}

export type SourceRef = Pick<SourceConfig, 'name' | 'alertType'>;

export type TextMap = Readonly<Record<string, string>>;

/** An alert as its source reports it. Parsers return it unmasked, with the length of every text limited. */
export interface IncomingAlert {
  /** The alert's key within its source, equal in every delivery. */
  readonly fingerprint: string;
  /** The key of the source's own group; `null` if each alert is its own group. */
  readonly groupKey: string | null;
  /** The source's own id of one firing period; `null` if the source sends none. */
  readonly episode: string | null;
  readonly title: string;
  readonly severity: Severity;
  readonly state: AlertState;
  readonly labels: TextMap;
  readonly annotations: TextMap;
  readonly startsAt: Date | null;
  readonly endsAt: Date | null;
  /** Time of this report by the source's clock, which orders the source's reports; `null` if the source sends none. */
  readonly reportedAt?: Date | null;
  /** The http or https address of the alert at its source, without credentials. */
  readonly url: string | null;
  /** The source's own id of the object that write-backs note on, such as an incident; missing if the source sends none. */
  readonly objectId?: string | null;
}

export interface ParsedDelivery {
  readonly alerts: readonly IncomingAlert[];
  /** The reason, for the sender, why the delivery contains no alert; `null` if it contains some. */
  readonly ignored: string | null;
  /** The sender's own id of this delivery, the same in repetitions; `null` if the sender gives none. */
  readonly deliveryKey: string | null;
  /** One sentence for each kind of text that was shortened or left out. */
  readonly notes: readonly string[];
  /** Sentence about alerts that cannot be read, also one of the notes; missing if there are none. */
  readonly leftOut?: string | null;
  /** True if the source may fire a resolved alert again with its old start, as Alertmanager does after an outage. */
  readonly mayReuseStart?: boolean;
  /** The sender's own key of the alert, set only if the HTTP response must contain it. */
  readonly senderKey?: string;
}

/** Parses the deliveries of one source type. Pure. @throws DeliveryRefusedError */
export type ParseDelivery = (delivery: Delivery, source: SourceConfig) => ParsedDelivery;

/** Returns the result for a valid delivery without alerts. @param why the reason, for the sender */
export function ignored(why: string, deliveryKey: string | null = null): ParsedDelivery {
  return { alerts: [], ignored: why, deliveryKey, notes: [] };
}
