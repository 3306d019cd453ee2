/** Text as it should be read: indented when it is a JSON object or array, as it came otherwise. */
export function prettyText(text: string): { readonly text: string; readonly isJson: boolean } {
  const trimmed = text.trim();
  if (!/^[[{]/.test(trimmed)) return { text, isJson: false };
  try {
    return { text: JSON.stringify(JSON.parse(trimmed), null, 2), isJson: true };
  } catch {
    return { text, isJson: false };
  }
}

// Parsing takes long beyond this (characters), and nobody reads it at once.
const LONGEST_YAML = 200_000;

/** Whether it is worth while to parse the text as YAML: two members, or a document's mark. */
export function looksLikeYaml(text: string): boolean {
  if (text.length > LONGEST_YAML) return false;
  return /^---\s*$/m.test(text) || (text.match(/^\s*(- )?["'\w][^:\n]{0,80}:(\s|$)/gm)?.length ?? 0) > 1;
}

/** Any JSON value on one line, for a heading: strings as they are, objects as `key: value` pairs. */
export function inlineValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return JSON.stringify(value);
  return Object.entries(value)
    .map(([key, inner]) => `${key}: ${typeof inner === 'string' ? inner : JSON.stringify(inner)}`)
    .join(', ');
}

// Most telling first: Alertmanager's annotations.summary says more than its labels.alertname.
const TITLE_KEYS = ['title', 'summary', 'message', 'alertname', 'alert', 'description', 'name', 'reason'];

/**
 * The one line that tells alerts apart: a telling member of a JSON alert (at most two levels deep, so that
 * Alertmanager's labels and annotations are found), else the first line that is not blank, without a heading's mark.
 */
export function alertTitle(alert: string, maxLength = 160): string {
  const line = jsonTitle(alert) ?? alert.split('\n').find((l) => l.trim() !== '') ?? '';
  const clean = line.trim().replace(/^#+ /, '').replace(/\s+/g, ' ');
  return clean.length <= maxLength ? clean : `${clean.slice(0, maxLength - 1)}…`;
}

function jsonTitle(alert: string): string | undefined {
  if (!/^\s*[[{]/.test(alert)) return undefined;
  try {
    const value: unknown = JSON.parse(alert);
    return TITLE_KEYS.map((key) => findText(value, key, 2)).find((text) => text !== undefined);
  } catch {
    return undefined;
  }
}

function findText(value: unknown, key: string, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const members = value as Record<string, unknown>;
  const own = members[key];
  if (typeof own === 'string' && own.trim() !== '') return own;
  if (depth === 0) return undefined;
  for (const inner of Object.values(members)) {
    const found = findText(inner, key, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The beginning of a Markdown text without its marks, on one line: for a preview that nothing may format. */
export function plainPreview(markdown: string, maxLength = 280): string {
  return markdown
    .slice(0, maxLength * 2)
    .replace(/^ {0,3}(#{1,6}|>|[-*+]|\d+[.)])\s+/gm, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*`]+|(?<!\w)_+|_+(?!\w)/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, maxLength);
}
