import { isMap, parseDocument, visit } from 'yaml';
import { storable } from '../common/storable.ts';
import { coerceWord } from './coerce.ts';
import { parsePairs } from './key-value.ts';

type Parameters = Record<string, unknown>;

/** Arguments of a tool call are short; the parser takes some 3 µs a character of YAML that is broken on purpose. */
const MAX_YAML_CHARACTERS = 8 * 1024;
/** Brackets open at once; deeper nesting makes the parser slow, and nobody writes it. */
const MAX_YAML_DEPTH = 32;
/** A list item, a nested block, or a key whose value begins a list, map or block text. */
const YAML_STRUCTURE = /^[ \t]*- |^[^\n]*:[ \t]*\n[ \t]+\S|:\s+(?:\[|\{)|:\s+[|>][+-]?[ \t]*$/m;

/**
 * Reads the arguments a model gave for a tool call; never fails. The first reading that fits wins:
 * JSON object · other JSON as `{input}` · YAML with structure · `key: value` or `key=value` pairs · the text as `{input}`.
 * A code fence around the whole is taken off, prose after a JSON object is dropped.
 */
export function parseArguments(text: string): Parameters {
  const body = storable(withoutFence(text.trim()));
  if (body === '') return {};
  return parseJson(body) ?? parseJsonPrefix(body) ?? parseYaml(body) ?? readPairs(body) ?? { input: body };
}

/** The text inside a code fence; prose after the fence is dropped, an end that is missing is not missed. */
function withoutFence(text: string): string {
  const opening = /^```[\w-]*[ \t]*\n/.exec(text);
  if (opening !== null) return text.slice(opening[0].length, closingFence(text, opening[0].length)).trim();
  if (text.length < 6 || !text.startsWith('```') || !text.endsWith('```')) return text;
  return text
    .slice(3, -3)
    .replace(/^(?:json|ya?ml)(?=[\s{[])/, '')
    .trim();
}

/** Where the first fence that has its line to itself begins, else the end. By hand: a pattern would take cubic time. */
function closingFence(text: string, from: number): number {
  for (let at = text.indexOf('```', from); at >= 0; at = text.indexOf('```', at + 3)) {
    let lineStart = at;
    while (text[lineStart - 1] === ' ' || text[lineStart - 1] === '\t') lineStart -= 1;
    if (text[lineStart - 1] === '\n') return lineStart;
  }
  return text.length;
}

function isRecord(value: unknown): value is Parameters {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(text: string): Parameters | null {
  let value: unknown;
  try {
    // The text itself is storable; what is not can only be escaped in it.
    value = text.includes('\\u') ? JSON.parse(text, storableItem) : JSON.parse(text);
  } catch {
    return null;
  }
  return isRecord(value) ? value : { input: value };
}

function storableItem(_: string, item: unknown): unknown {
  return typeof item === 'string' ? storable(item) : item;
}

/** The JSON object a text begins with, when something that is no JSON follows it. */
function parseJsonPrefix(text: string): Parameters | null {
  const end = text.startsWith('{') ? jsonEnd(text, 0) : null;
  return end === null ? null : parseJson(text.slice(0, end));
}

/** Where the JSON object or list ends that begins at a place; null: nowhere. By brackets alone, so it need not be valid. */
export function jsonEnd(text: string, from: number): number | null {
  let depth = 0;
  let inString = false;
  for (let index = from; index < text.length; index += 1) {
    const character = text[index];
    if (inString) {
      if (character === '\\') index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return null;
}

function parseYaml(text: string): Parameters | null {
  const braced = text.startsWith('{');
  if (text.length > MAX_YAML_CHARACTERS || !(braced || YAML_STRUCTURE.test(text))) return null;
  if (isDeep(text)) return null;
  try {
    const document = parseDocument(text, {
      schema: 'core',
      prettyErrors: false,
      uniqueKeys: false,
      logLevel: 'silent',
    });
    if (document.errors.length > 0) return null;
    // Plain scalars by our own rules: YAML would read 007 as 7.
    visit(document, {
      Scalar(key, node) {
        if (key === 'key') return;
        if (node.type === 'PLAIN' && node.source !== undefined) node.value = coerceWord(node.source);
        // The parser ends a block text with a newline that the trimmed text does not have.
        const isLast = node.type?.startsWith('BLOCK') && (node.range?.[2] ?? 0) >= text.length;
        if (isLast && typeof node.value === 'string') node.value = node.value.replace(/\n$/, '');
      },
    });
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    if (isMap(document.contents) && isRecord(value)) return value;
    return Array.isArray(value) ? { input: value } : null;
  } catch {
    return null;
  }
}

function isDeep(text: string): boolean {
  let depth = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    if (depth > MAX_YAML_DEPTH) return true;
  }
  return false;
}

function readPairs(text: string): Parameters | null {
  // Something in braces that is neither JSON nor YAML is broken; pairs cut from it would be garbage.
  return /^[{[]/.test(text) ? null : parsePairs(text);
}
