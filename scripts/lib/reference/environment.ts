import type { Variable } from '../../../src/config/variable.ts';
import { VARIABLE_GROUPS } from '../../../src/config/variables.ts';
import type { GeneratedFile } from '../config-schemas.ts';
import { renderPage, table } from './markdown.ts';

/** Returns the page of all environment variables, by the program that reads them. */
export function environmentPage(): Promise<GeneratedFile> {
  const groups: [string, Readonly<Record<string, Variable>>][] = Object.entries(VARIABLE_GROUPS);
  const parts = groups.map(([title, variables]) => {
    const rows = Object.entries(variables).map(([name, { fallback, unset, meaning }]) => [
      `\`${name}\``,
      fallback === null ? (unset ?? '') : `\`${fallback}\``,
      meaning,
    ]);
    return `## ${title}\n\n${table(['variable', 'default', 'meaning'], rows)}`;
  });
  return renderPage('environment.md', '# Environment variables', parts);
}
