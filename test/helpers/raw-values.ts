import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type EnumTypeDefinitionNode, Kind, parse } from 'graphql';
import type { Page } from 'playwright-core';

/** Enum values that are also ordinary words in capital letters. */
const WORDS = new Set(['JSON']);

/** Every value of the API's enums. */
const VALUES: string[] = parse(readFileSync(resolve(import.meta.dirname, '../../schema.graphql'), 'utf8'))
  .definitions.filter((each): each is EnumTypeDefinitionNode => each.kind === Kind.ENUM_TYPE_DEFINITION)
  .flatMap(({ values = [] }) => values.map(({ name }) => name.value))
  .filter((value) => !WORDS.has(value));

/**
 * Returns raw API values that the page shows, with their surroundings. Elements for code and data may contain
 * such values.
 */
export function rawValues(page: Page): Promise<string[]> {
  return page.evaluate((values) => {
    const raw = new Set(values);
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found: string[] = [];
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      const text = node.nodeValue ?? '';
      if (node.parentElement?.closest('pre, code, textarea, script, style, noscript')) continue;
      if (text.match(/\b[A-Z][A-Z_]+\b/g)?.some((word) => raw.has(word))) found.push(text.slice(0, 100));
    }
    return found;
  }, VALUES);
}
