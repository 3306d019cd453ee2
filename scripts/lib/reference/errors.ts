import { DELIVERY_ERRORS, REQUEST_ERRORS, RESULT_ERRORS } from '../../../src/common/error-codes/api.ts';
import { CLIENT_ERRORS, MACHINE_ERRORS, SETTINGS_ERRORS } from '../../../src/common/error-codes/commands.ts';
import { LLM_ENGINE_ERRORS, LLM_SERVICE_ERRORS } from '../../../src/common/error-codes/llm.ts';
import type { ErrorCodes } from '../../../src/common/error-codes/types.ts';
import type { GeneratedFile } from '../config-schemas.ts';
import { renderPage, table } from './markdown.ts';

/** Returns the pages of all error codes. Each code has one row on one of them. */
export function errorPages(): Promise<GeneratedFile[]> {
  return Promise.all([
    renderPage('api-errors.md', '# Errors of the API', [
      section('## Results of mutations', RESULT_ERRORS),
      section('## Errors of requests', REQUEST_ERRORS),
      section('## Refused deliveries', DELIVERY_ERRORS),
    ]),
    renderPage('command-errors.md', '# Errors of commands', [
      section('## Commands that call a server', CLIENT_ERRORS),
      section('## Configuration and environment', SETTINGS_ERRORS),
      section('## The machine and its data', MACHINE_ERRORS),
    ]),
    renderPage('llm-errors.md', '# Errors of models', [
      section('## Errors', LLM_SERVICE_ERRORS),
      section('### Errors between engine and LLM service', LLM_ENGINE_ERRORS),
    ]),
  ]);
}

/** Returns the table of some codes. A column that no code uses is left out. */
function section(
  heading: string,
  codes: ErrorCodes & Readonly<Record<string, { retryable?: boolean }>>,
): string {
  const all = Object.entries(codes);
  const columns = [
    column('code', ([code]) => `\`${code}\``),
    column('answer', ([, { answer }]) => answer),
    column('retryable', ([, { retryable }]) =>
      retryable === undefined ? undefined : retryable ? 'yes' : 'no',
    ),
    column('cause', ([, { cause }]) => cause),
    column('remedy', ([, { remedy }]) => remedy),
  ].filter(({ of }) => all.some((entry) => of(entry) !== undefined));
  const rows = all.map((entry) => columns.map(({ of }) => of(entry) ?? ''));
  return `${heading}\n\n${table(
    columns.map(({ title }) => title),
    rows,
  )}`;
}

type Entry = [code: string, ErrorCodes[string] & { retryable?: boolean }];

function column(title: string, of: (entry: Entry) => string | undefined) {
  return { title, of };
}
