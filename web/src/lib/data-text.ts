import { isExactNumber } from './parse-json.ts';

/** Formats a JSON value on one line, objects as `key: value` pairs. */
export function inlineValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value) || isExactNumber(value)) return JSON.stringify(value);
  return Object.entries(value)
    .map(([key, inner]) => `${key}: ${typeof inner === 'string' ? inner : JSON.stringify(inner)}`)
    .join(', ');
}

/** Returns the beginning of a Markdown text without formatting, on one line. */
export function plainPreview(markdown: string, maxLength = 280): string {
  return markdownText(markdown.slice(0, maxLength * 2))
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, maxLength);
}

/** Returns a Markdown text without formatting, about as a page shows it. */
export function markdownText(markdown: string): string {
  return markdown
    .replace(/^ {0,3}(#{1,6}|>|[-*+]|\d+[.)])\s+/gm, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*`]+|(?<!\w)_+|_+(?!\w)/g, '');
}
