import { isMap, parseDocument, visit } from 'yaml';
import { coerceWord } from './coerce.ts';
import { parsePairs } from './key-value.ts';
import { storable } from './text.ts';

type Parameters = Record<string, unknown>;

/** Arguments of a tool call are short; more than this is no YAML somebody wrote. */
const MAX_YAML_CHARACTERS = 64 * 1024;
/** A list item, a nested block, or a key whose value begins a list, map or block text. */
const YAML_STRUCTURE = /^\s*- |^[^\n]*:[ \t]*\n[ \t]+\S|:\s+(?:\[|\{)|:\s+[|>][+-]?[ \t]*$/m;

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

function withoutFence(text: string): string {
  const block = /^```[\w-]*[ \t]*\n([\s\S]*?)\n[ \t]*```/.exec(text);
  const inline = /^```(?:json|ya?ml)?\s*([\s\S]*?)\s*```$/.exec(text);
  return (block ?? inline)?.[1]?.trim() ?? text;
}

function isRecord(value: unknown): value is Parameters {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(text: string): Parameters | null {
  let value: unknown;
  try {
    value = JSON.parse(text, (_, item: unknown) => (typeof item === 'string' ? storable(item) : item));
  } catch {
    return null;
  }
  return isRecord(value) ? value : { input: value };
}

/** The JSON object a text begins with, when something that is no JSON follows it. */
function parseJsonPrefix(text: string): Parameters | null {
  if (!text.startsWith('{')) return null;
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (inString) {
      if (character === '\\') index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth === 0) return parseJson(text.slice(0, index + 1));
    }
  }
  return null;
}

function parseYaml(text: string): Parameters | null {
  const braced = text.startsWith('{');
  if (text.length > MAX_YAML_CHARACTERS || !(braced || YAML_STRUCTURE.test(text))) return null;
  try {
    const document = parseDocument(text, { schema: 'core', prettyErrors: false, logLevel: 'silent' });
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

function readPairs(text: string): Parameters | null {
  // Something in braces that is neither JSON nor YAML is broken; pairs cut from it would be garbage.
  return /^[{[]/.test(text) ? null : parsePairs(text);
}
