import type { Node } from './node.ts';

/** A quoted passage: its position, its text, and the call that gave the cited output. */
export interface Place {
  /** The cited output, parsed. */
  root: Node;
  /** Position of the quote in the unparsed output (UTF-16 code units, end exclusive). */
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
