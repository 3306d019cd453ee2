/** A part of an output: a field, an object, a row of a table, an item of a list or a line. */
export interface Node {
  /** Name of the field or column; empty if it has none. */
  key: string;
  /** Value of a field or text of a line; empty for an object or a list. */
  text: string;
  /** Position of the value in the cited output (UTF-16 code units, end exclusive). */
  start: number;
  end: number;
  parent: Node | null;
  children: Node[];
  /** True for one of several parallel parts: an item of a list, a row of a table or a line of a log. */
  isRow: boolean;
  /** Adds the children of a row when they are first needed. */
  expand: ((node: Node) => void) | null;
  /**
   * Offset in the output of each code unit of a decoded string. Set if the positions of the children count in
   * that string, otherwise `null`.
   */
  offsets: Uint32Array | null;
}

export type NewNode = Pick<Node, 'start' | 'end'> &
  Partial<Pick<Node, 'key' | 'text' | 'isRow' | 'expand' | 'offsets'>>;

export function addNode(parent: Node | null, fields: NewNode): Node {
  const { start, end, key = '', text = '', isRow = false, expand = null, offsets = null } = fields;
  const node: Node = { key, text, start, end, isRow, expand, offsets, parent, children: [] };
  parent?.children.push(node);
  return node;
}

export function childrenOf(node: Node): readonly Node[] {
  const { expand } = node;
  node.expand = null;
  expand?.(node);
  return node.children;
}

/** Yields a node and its ancestors. */
export function* upwards(node: Node | null): Generator<Node> {
  for (let at = node; at !== null; at = at.parent) yield at;
}

export interface Passage {
  start: number;
  end: number;
}

/** Yields the nodes that overlap a passage of the cited output, each with true if the passage holds its whole value. */
export function* overlapping(node: Node, passage: Passage): Generator<{ node: Node; isWhole: boolean }> {
  const children = childrenOf(node);
  const { start, end } = node.offsets === null ? passage : inside(node.offsets, passage);
  for (let at = firstEndingAfter(children, start); at < children.length; at++) {
    const child = children[at]!;
    if (child.start >= end) break;
    yield { node: child, isWhole: child.start >= start && child.end <= end };
    yield* overlapping(child, { start, end });
  }
}

function inside(offsets: Uint32Array, { start, end }: Passage): Passage {
  const count = (position: number) => {
    let [low, high] = [0, offsets.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (offsets[middle]! < position) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return { start: count(start), end: count(end) };
}

/** Returns the index of the first child that ends after a position. Children are sorted by position. */
export function firstEndingAfter(children: readonly Node[], position: number): number {
  let [low, high] = [0, children.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spanEnd(children[middle]!) <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the end of a node with its descendants: a field may have indented fields below its own value. */
function spanEnd(node: Node): number {
  const last = node.children.at(-1);
  return last === undefined ? node.end : Math.max(node.end, spanEnd(last));
}

/** A quoted passage: its position in the parsed output, its text, and the call that gave the output. */
export interface Place {
  root: Node;
  start: number;
  end: number;
  /** Normalized passage. */
  passage: string;
  call: CallContext;
}

interface CallContext {
  /** Names of entities that the call looked at. */
  entities: readonly string[];
  /** Words of the call's query, which name the values of its answer. */
  words: readonly string[];
  metric: string;
  command: string;
}
