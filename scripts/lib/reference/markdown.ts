import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GeneratedFile } from '../config-schemas.ts';
import { ROOT } from '../dev-python.ts';

/** The line of a page below which everything is generated. */
const GENERATED = '<!-- `npm run docs:reference` writes everything below this line. -->';

/** Returns a Markdown table. Cells may contain any text. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Escapes characters that Markdown or HTML would interpret outside inline code. */
function cell(text: string): string {
  const parts = text
    .replace(/\s+/g, ' ')
    .replaceAll('|', '\\|')
    .trim()
    .split(/(`[^`]*`)/);
  return parts
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;').replaceAll('*', '\\*')))
    .join('');
}

/** Returns a list of names as inline code, separated by commas. */
export function codes(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

/**
 * Returns a page: the hand-written text of the file before GENERATED, then `parts`.
 * @param path of the page below `docs/reference`
 * @param opening text of a page that does not exist yet
 */
export async function renderPage(
  path: string,
  opening: string,
  parts: readonly string[],
): Promise<GeneratedFile> {
  const file = join(ROOT, 'docs/reference', path);
  const present = await readFile(file, 'utf8').catch(() => opening);
  const before = present.split(GENERATED)[0]!.trimEnd();
  return { path: file, text: `${[before, GENERATED, ...parts].join('\n\n')}\n` };
}
