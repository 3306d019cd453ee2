import { isMap, parseDocument, visit } from 'yaml';
import { toStorable } from '../common/storable.ts';
import { coerceWord, parsePairs } from './key-value.ts';

type Parameters = Record<string, unknown>;

/** Maximum length of YAML text (UTF-16 code units), because broken YAML can take the parser 3 µs per character. */
const MAX_YAML_CHARACTERS = 8 * 1024;
/** Maximum number of open brackets, because deep nesting makes the YAML parser slow. */
const MAX_YAML_DEPTH = 32;
/** Matches a list item, a nested block, or a key whose value starts a list, map or block text. */
const YAML_STRUCTURE = /^[ \t]*- |^[^\n]*:[ \t]*\n[ \t]+\S|:\s+(?:\[|\{)|:\s+[|>][+-]?[ \t]*$/m;

/**
 * Parses the arguments that a model wrote for a tool call. Never fails. Tries in this order:
 * 1. a JSON object, possibly followed by other text; JSON that is no object becomes `{input}`
 * 2. YAML with lists, maps or block text
 * 3. `key: value` or `key=value` pairs
 * 4. the whole text as `{input}`
 */
export function parseArguments(text: string): Parameters {
  const body = toStorable(withoutFence(text.trim()));
  if (body === '') return {};
  return parseJson(body) ?? parseJsonPrefix(body) ?? parseYaml(body) ?? readPairs(body) ?? { input: body };
}

function withoutFence(text: string): string {
  const opening = /^```[\w-]*[ \t]*\n/.exec(text);
  if (opening !== null) return text.slice(opening[0].length, closingFence(text, opening[0].length)).trim();
  if (text.length < 6 || !text.startsWith('```') || !text.endsWith('```')) return text;
  return text
    .slice(3, -3)
    .replace(/^(?:json|ya?ml)(?=[\s{[])/, '')
    .trim();
}

/** Returns the index of the first code fence at a line's start, or the text's length. A regex takes cubic time. */
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

const JSON_TEXT = /"(?:[^"\\]|\\[\s\S])*"/g;

/** Escapes raw line breaks and tabs of a JSON text, which weak models copy from logs. */
function escapeLineBreaks(text: string): string {
  return text.replace(/[\n\r\t]/g, (character) => JSON.stringify(character).slice(1, -1));
}

function parseJson(text: string): Parameters | null {
  let value: unknown;
  try {
    // Only escape sequences need replacement, because `text` itself is already storable.
    const storable = (_: string, item: unknown) => (typeof item === 'string' ? toStorable(item) : item);
    value = text.includes('\\u') ? JSON.parse(text, storable) : JSON.parse(text);
  } catch {
    const escaped = text.replace(JSON_TEXT, escapeLineBreaks);
    return escaped === text ? null : parseJson(escaped);
  }
  return isRecord(value) ? value : { input: value };
}

function parseJsonPrefix(text: string): Parameters | null {
  const end = text.startsWith('{') ? jsonEnd(text, 0) : null;
  return end === null ? null : parseJson(text.slice(0, end));
}

/** Returns the end index of the JSON object or list at `from`; `null` if it does not end. Only counts brackets. */
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
    const options = { schema: 'core', prettyErrors: false, uniqueKeys: false, logLevel: 'silent' } as const;
    const document = parseDocument(text, options);
    if (document.errors.length > 0) return null;
    // Plain scalars are coerced by our own rules, because YAML would read 007 as 7.
    visit(document, {
      Scalar(key, node) {
        if (key === 'key') return;
        if (node.type === 'PLAIN' && node.source !== undefined) node.value = coerceWord(node.source);
        // Removes the final newline that the parser adds to block text, because the trimmed text has none.
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
  // Text in braces that is neither JSON nor YAML is broken, and pairs cut from it would be garbage.
  return /^[{[]/.test(text) ? null : parsePairs(text);
}
