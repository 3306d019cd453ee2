import type { SourceConfig } from '../config/types.ts';
import type { AlertState, Severity } from '../db/enums.ts';

/** One request of a sender, unchanged. */
export interface Delivery {
  readonly body: Buffer;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly query: URLSearchParams;
}

export type SourceRef = Pick<SourceConfig, 'name' | 'alertType'>;

export type TextMap = Readonly<Record<string, string>>;

/** One alert as a source reports it. Not masked yet; the length of every text is limited. */
export interface IncomingAlert {
  /** The alert's key within its source, equal in every delivery. */
  readonly fingerprint: string;
  /** The key of the source's own group; `null` if each alert is its own group. */
  readonly groupKey: string | null;
  /** The source's own id of one firing period; `null` if it has none. */
  readonly episode: string | null;
  readonly title: string;
  readonly severity: Severity;
  readonly state: AlertState;
  readonly labels: TextMap;
  readonly annotations: TextMap;
  readonly startsAt: Date | null;
  readonly endsAt: Date | null;
  /** The http or https address of the alert at its source, without credentials. */
  readonly url: string | null;
}

export interface ParsedDelivery {
  readonly alerts: readonly IncomingAlert[];
  /** Why the delivery contains no alert, for its sender; `null` if it contains some. */
  readonly ignored: string | null;
  /** The sender's own id of this delivery, equal when it is repeated. */
  readonly deliveryKey: string | null;
  /** One sentence for each kind of text that was shortened or left out. */
  readonly notes: readonly string[];
  /** The sender's own key of the alert, if the answer must contain it. */
  readonly senderKey?: string;
}

/** Parses the deliveries of one source type. Pure. @throws DeliveryRefusedError */
export type ParseDelivery = (delivery: Delivery, source: SourceConfig) => ParsedDelivery;

/** Returns a readable delivery that contains no alert. */
export function ignored(why: string, deliveryKey: string | null = null): ParsedDelivery {
  return { alerts: [], ignored: why, deliveryKey, notes: [] };
}
