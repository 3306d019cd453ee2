/** What the bench tells the process of the subscribers, and what it hears from it. */
export interface Connect {
  port: number;
  count: number;
  sessionId: string;
  /** Subscribers are users of these groups, in turn; default: nobody says who they are. */
  groups?: readonly string[];
}

export interface Report {
  /** Subscribers that have all of the text, by its length. */
  complete: number;
  /** Of all subscribers together. */
  characters: number;
  /** Milliseconds from the writing of a piece to its arrival, at a sample of the subscribers. */
  latencies: number[];
}

export const DOCUMENT = `subscription ($id: ID!) { sessionEvents(sessionId: $id) {
  __typename cursor ... on StreamChunk { timelineEventId offset delta } } }`;

/** A piece of text of this length that says when it was written. */
export function stampedPiece(length: number): string {
  return `@${(performance.timeOrigin + performance.now()).toFixed(1)}`.padEnd(length, '.');
}

export function* stampsIn(text: string): Generator<number> {
  for (const [, stamp] of text.matchAll(/@(\d+\.\d)/g)) yield Number(stamp);
}
