import { addNode, type NewNode, type Node } from './node.ts';
import { addTextFields } from './text-fields.ts';
import { withoutEscapes } from './verify-citation.ts';

/** Maximum nesting. Deeper JSON is not parsed. */
const MAX_DEPTH = 100;

const SPACE = /[ \t\r\n]*/y;
const SCALAR = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
/** Matches a Unix time in seconds to nanoseconds, with which metric samples and log lines begin. */
const EPOCH = /^1\d{9}(?:\.\d+|\d{3}|\d{6}|\d{9})?$/;

export interface ParsedJson {
  end: number;
  /** False if the text is not well-formed; `end` is the position of the fault. */
  isValid: boolean;
}

/**
 * Parses a JSON value at a position and adds its fields to a node. Takes time in proportion to what it reads.
 * @param parseText parses a text within a string, such as the output of a command
 */
export function parseJson(
  { text, from, parseText }: { text: string; from: number; parseText: (node: Node) => void },
  root: Node,
): ParsedJson {
  let at = from;
  const skip = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? '';
    at += found.length;
    return found;
  };
  const stringEnd = (): number => {
    for (let end = at + 1; end < text.length; end++) {
      const unit = text[end];
      if (unit === '"') return end;
      if (unit === '\n') return -1;
      if (unit === '\\') end += 1;
    }
    return -1;
  };

  function value(node: Node, depth: number): boolean {
    skip(SPACE);
    node.start = at;
    const open = text[at];
    if (open === '{' || open === '[') {
      if (depth > MAX_DEPTH || !items(node, open === '[', depth)) return false;
    } else if (open === '"') {
      const end = stringEnd();
      if (end < 0) return false;
      node.start = at + 1;
      const raw = text.slice(at + 1, end);
      const decoded = raw.includes('\\') ? withoutEscapes(raw) : null;
      node.text = decoded?.text ?? raw;
      const isText = decoded !== null && /\n|^\s*[{[]/.test(decoded.text);
      node.expand = isText ? parseText : addTextFields;
      node.offsets = isText ? decoded.at.map((offset) => offset + node.start) : null;
      node.end = end;
      at = end + 1;
      return true;
    } else {
      node.text = skip(SCALAR);
      if (node.text === '') return false;
    }
    node.end = at;
    return true;
  }

  function items(node: Node, isList: boolean, depth: number): boolean {
    const close = isList ? ']' : '}';
    at += 1;
    for (let count = 0; ; count++) {
      skip(SPACE);
      if (text[at] === close && count === 0) break;
      const fields: NewNode = { start: at, end: at };
      if (!isList) {
        const end = text[at] === '"' ? stringEnd() : -1;
        if (end < 0) return false;
        fields.key = text.slice(at + 1, end);
        at = end + 1;
        skip(SPACE);
        if (text[at++] !== ':') return false;
      }
      if (!value(addNode(node, fields), depth + 1)) return false;
      skip(SPACE);
      if (text[at] === close) break;
      if (text[at++] !== ',') return false;
    }
    at += 1;
    if (isList) nameItems(node);
    return true;
  }

  const isValid = value(root, 0);
  return { end: at, isValid };
}

/**
 * Names the two parts of a metric sample, such as `[1771495200, "37"]`. Marks objects and lists in other
 * lists as rows.
 */
function nameItems({ key, children }: Node): void {
  const [first, second] = children;
  if (children.length === 2 && EPOCH.test(first!.text) && second!.text !== '') {
    first!.key = 'time';
    second!.key = key === '' ? 'value' : key;
    return;
  }
  for (const child of children) {
    child.isRow = child.children.length > 0;
    if (!child.isRow) child.key = key;
  }
}
