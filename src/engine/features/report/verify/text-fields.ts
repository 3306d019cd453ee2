import { addNode, type Node } from './node.ts';
import { extractTimes } from './times.ts';

/** Longer texts are searched for fields only to this length (UTF-16 code units). */
const MAX_TEXT = 4000;

/** Matches `key=value`. */
const EQUALS = /(?<![\w.])([\p{L}_@][\w.@/-]{0,60})=("(?:[^"\\]|\\.)*"|'[^']*'|[^\s,;(){}\]"']+)/gu;
/**
 * Matches `key: value` at the beginning of a clause. COLON_NEXT matches a further pair directly after another
 * one.
 */
const VALUE = String.raw`\s+("[^"]*"|[^,;(){}|]+?)(?=\s+[\p{L}_][\w.-]*:\s|[,;(){}|]|\.\s|\s{2,}|$)`;
const COLON = new RegExp(
  String.raw`(?<=^|[,;({[|]\s*|\.\s|\s{2})"?([\p{L}_][\w.%#-]*(?: [\w.%#-]+){0,2})"?:${VALUE}`,
  'gu',
);
const COLON_NEXT = new RegExp(String.raw`\s+([\p{L}_][\w.-]*):${VALUE}`, 'uy');
/** Matches `key:12kB`. */
const TIGHT = /(?<![\w./:-])([a-z][\w-]{0,40}):(\d[\d.]*[a-zA-Z]{1,3})(?!\w)/g;
/** Matches a sample of Prometheus: the name of the metric, its labels and the value. */
const SAMPLE =
  /^([a-zA-Z_:][\w:]*)?\{[^{}]*\}\s+([-+]?[\d.]+(?:[eE][-+]?\d+)?)(?=\s|$)|^([a-zA-Z_:][\w:]*)\s+([-+]?[\d.]+(?:[eE][-+]?\d+)?)(?:\s+\d{10,13})?$/;
/** Matches a line of an access log in the common format. */
const ACCESS = /^(\S+) \S+ (\S+) \[([^\]]+)\] "(\S+) (\S+)[^"]*" (\d{3}) (\d+|-)/d;
const ACCESS_FIELDS = ['client', 'user', 'time', 'method', 'path', 'status', 'bytes'];

interface Found {
  key: string;
  from: number;
  to: number;
  /** Position of the whole field. */
  begin: number;
}

/** Adds the fields that stand in the text of a node: `key=value`, `key: value`, samples and times of lines. */
export function addTextFields(node: Node): void {
  const text = node.text.slice(0, MAX_TEXT);
  const found: Found[] = node.isRow ? lineFields(text) : [];
  const add = (key: string, value: string, match: { begin: number; end: number }) => {
    const bare = value.replace(/^(["'])(.*)\1$/s, '$2').trim();
    const from = match.end - value.length + value.indexOf(bare);
    if (found.some((other) => match.begin < other.to && match.end > other.begin) || bare === '') return;
    found.push({ key, from, to: from + bare.length, begin: match.begin });
  };
  for (const pattern of [EQUALS, TIGHT]) {
    for (const { 0: whole, 1: key, 2: value, index } of text.matchAll(pattern))
      add(key!, value!, { begin: index, end: index + whole.length });
  }
  for (const match of text.matchAll(COLON)) {
    if (!isField(match[1]!, match[2]!)) continue;
    let at = match.index + match[0].length;
    add(match[1]!, match[2]!, { begin: match.index, end: at });
    for (COLON_NEXT.lastIndex = at; ; ) {
      const next = COLON_NEXT.exec(text);
      if (!next) break;
      at = COLON_NEXT.lastIndex;
      add(next[1]!, next[2]!, { begin: next.index, end: at });
    }
  }
  const below = node.children.splice(0);
  for (const { key, from, to } of found.sort((a, b) => a.from - b.from)) {
    const fields = { key, text: text.slice(from, to), start: node.start + from, end: node.start + to };
    addNode(node, { ...fields, expand: addTextFields });
  }
  node.children.push(...below);
  let own = '';
  for (const { begin, to } of found) {
    if (begin < own.length) continue;
    own += node.text.slice(own.length, begin) + ' '.repeat(to - begin);
  }
  OWN.set(node, own + node.text.slice(own.length));
}

/** True unless the text around the colon is prose: `Readiness probe failed: it did not answer`. */
function isField(key: string, value: string): boolean {
  const length = value.trim().split(/\s+/).length;
  if (!key.includes(' ')) return length <= 3 || extractTimes(value)[0]?.start === 0;
  return /^\d/.test(value) && length <= 2 && !/\d/.test(key);
}

const OWN = new WeakMap<Node, string>();

/** Returns the text of a node with its fields replaced by spaces, so that positions stay the same. */
export function ownText(node: Node): string {
  return OWN.get(node) ?? node.text;
}

function lineFields(text: string): Found[] {
  const access = ACCESS.exec(text);
  if (access)
    return ACCESS_FIELDS.map((key, index) => {
      const [from, to] = access.indices![index + 1]!;
      return { key, from, to, begin: from };
    });
  const sample = SAMPLE.exec(text);
  if (sample) {
    const [whole, labelled, labelledValue, bare, bareValue = labelledValue!] = sample;
    const from = whole.lastIndexOf(bareValue);
    return [{ key: labelled ?? bare ?? 'value', from, to: from + bareValue.length, begin: from }];
  }
  const [time] = extractTimes(text.slice(0, 160));
  const isField = time && /[=:"']$/.test(text.slice(0, time.start).trimEnd());
  return time && !isField ? [{ key: 'time', from: time.start, to: time.end, begin: time.start }] : [];
}
