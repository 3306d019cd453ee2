/** The messages between the bench and the subscribers' process. */
export interface Connect {
  port: number;
  count: number;
  sessionId: string;
  /** Groups of the subscribers' users, assigned in turn. Default: subscribers have no identity. */
  groups?: readonly string[];
}

export interface Report {
  /** Number of subscribers that received a text of the expected length. */
  complete: number;
  /** Characters received by all subscribers together. */
  characters: number;
  /** Times from writing a piece to its arrival (ms), of a sample of the subscribers. */
  latencies: number[];
}

export const DOCUMENT = `subscription ($id: ID!) { sessionEvents(sessionId: $id) {
  __typename cursor ... on StreamChunk { timelineEventId offset delta } } }`;

/** Returns a text of this length that begins with the time at which it is built. */
export function stampedPiece(length: number): string {
  return `@${(performance.timeOrigin + performance.now()).toFixed(1)}`.padEnd(length, '.');
}

export function* stampsIn(text: string): Generator<number> {
  for (const [, stamp] of text.matchAll(/@(\d+\.\d)/g)) yield Number(stamp);
}
