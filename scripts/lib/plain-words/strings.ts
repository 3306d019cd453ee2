import { parseSync, Visitor } from 'vite';
import type { Passage } from './words.ts';

const PYTHON_STRING = /"((?:\\.|[^"\\\n])*)"/g;
const GRAPHQL_DESCRIPTION = /"""([\s\S]*?)"""|"([^"\n]+)"/g;

/**
 * Returns the strings of a source file, because log messages, errors, output of commands, descriptions and prompts are
 * strings. An expression in a template counts as one word, and marks of omission are left out.
 */
export function stringsOf(file: string, text: string): Passage[] {
  const strings = file.endsWith('.graphql')
    ? [...text.matchAll(GRAPHQL_DESCRIPTION)].map((match) => ({
        at: match.index,
        prose: (match[1] ?? match[2])!,
      }))
    : file.endsWith('.py')
      ? [...text.matchAll(PYTHON_STRING)].map((match) => ({ at: match.index, prose: match[1]! }))
      : literalsOf(file, text);
  const texts = strings.filter(({ prose }) => prose.includes(' ')); // a word alone is a name
  return texts.map(({ at, prose }) => ({ at, prose: prose.replaceAll('…', '') }));
}

function literalsOf(file: string, text: string): Passage[] {
  const literals: Passage[] = [];
  new Visitor({
    Literal: ({ start, value }) => {
      if (typeof value === 'string') literals.push({ at: start, prose: value });
    },
    TemplateLiteral: ({ start, quasis }) => {
      literals.push({ at: start, prose: quasis.map(({ value }) => value.cooked ?? '').join('code') });
    },
  }).visit(parseSync(file, text).program);
  return literals;
}
