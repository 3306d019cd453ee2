import type { Node } from './node.ts';

/** A quoted passage: its position in the parsed output, its text, and the call that gave the output. */
export interface Place {
  root: Node;
  start: number;
  end: number;
  /** Normalized passage. */
  passage: string;
  call: CallContext;
}

export interface CallContext {
  /** Names of entities that the call looked at. */
  entities: readonly string[];
  /** Words of the call's query, which name the values of its answer. */
  words: readonly string[];
  metric: string;
  command: string;
}
