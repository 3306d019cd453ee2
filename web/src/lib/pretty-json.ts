import type { Passage } from './passage.ts';

// Matches a JSON token: a string, a punctuation mark or another word.
const TOKEN = /"(?:[^"\\]+|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g;
const ESCAPED = /\\[u/]/;

interface Pretty {
  readonly text: string;
  readonly passage: Passage | null;
  readonly isJson: boolean;
}

/**
 * Indents a JSON object or array token by token, because parsing would change long numbers and drop duplicate names.
 * Without a passage, decodes unnecessary escapes; with a passage, returns its new position. Returns other text
 * unchanged.
 */
export function prettyJson(text: string, passage: Passage | null = null): Pretty {
  if (!isJson(text)) return { text, passage, isJson: false };
  const out: string[] = [];
  let length = 0;
  let depth = 0;
  let before = '';
  let start: number | null = null;
  let end = 0;
  const put = (words: string): void => {
    out.push(words);
    length += words.length;
  };
  const line = (): void => put(`\n${'  '.repeat(depth)}`);
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const closes = token === '}' || token === ']';
    if (closes) depth -= 1;
    const opened = before === '{' || before === '[';
    if (before === ':') put(' ');
    else if (before === ',' || opened !== closes) line();
    if (passage !== null) {
      if (start === null && index + token.length > passage.start)
        start = length + Math.max(0, passage.start - index);
      if (index < passage.end) end = length + Math.min(token.length, passage.end - index);
    }
    put(passage === null && ESCAPED.test(token) ? JSON.stringify(JSON.parse(token)) : token);
    if (token === '{' || token === '[') depth += 1;
    before = token;
  }
  return { text: out.join(''), passage: start === null ? null : { start, end }, isJson: true };
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
