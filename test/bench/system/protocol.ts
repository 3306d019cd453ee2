/** The messages between the bench and the process of its subscribers. */
export interface Target {
  port: number;
  /** Global id of the session. */
  sessionId: string;
}

/** Everything that a subscriber received. */
export interface Received {
  sessionId: string;
  /** Number of the last event, without a gap before it. */
  seq: number;
  /** Checksum of all events, as `lineOf` writes them. */
  checksum: number;
  ended: boolean;
  connections: number;
  /** The first contradiction; `null` if there is none. */
  problem: string | null;
}

export interface SubscriberReport {
  received: Received[];
  /** Since the previous report: times from the model's piece to its arrival (ms), of a sample of the subscribers. */
  latencies: number[];
  /** Messages to all subscribers since the previous report. */
  messages: number;
}

/** Returns the line of an event that enters the checksum. */
export const lineOf = (seq: number, type: string, content: string): string => `${seq} ${type} ${content}\n`;
