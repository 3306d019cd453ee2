import type { Writable } from 'node:stream';
import { CaseError } from '../cases/errors.ts';
import {
  IMPORT_FORMATS,
  type ImportFormat,
  type ImportResult,
  importCases,
} from '../cases/import/import-cases.ts';
import { isoTime } from '../cases/import/importer.ts';
import { renderHelp } from '../common/command-help.ts';
import { sanitize, sanitizeLine } from '../common/printable.ts';
import { parseCommandLine } from './args.ts';
import { CliError, EXIT, usageError } from './errors.ts';
import { CASE_IMPORT } from './help-cases.ts';

interface Io {
  stdout: Writable;
  stderr: Writable;
}

/** Writes cases of a foreign format as case folders, and returns the exit status (see CASE_IMPORT). */
export async function runImportCommand(argv: readonly string[], { stdout, stderr }: Io): Promise<number> {
  try {
    const { values, positionals } = parseCommandLine(CASE_IMPORT, argv);
    if (values.help === true) {
      stdout.write(renderHelp(CASE_IMPORT));
      return EXIT.COMPLETED;
    }
    const results = await importAll(values, positionals, (result) => stdout.write(describe(result)));
    stdout.write(`\n${summarize(results)}`);
    const has = (wanted: ImportResult['result']) => results.some(({ result }) => result === wanted);
    if (has('BROKEN')) return EXIT.FAILED;
    return has('IMPORTED') ? EXIT.COMPLETED : EXIT.USAGE;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const hint = error.code === 'USAGE' ? `See \`${CASE_IMPORT.command} -- --help\`.\n` : '';
    stderr.write(`${error.code}: ${sanitize(error.message)}\n${hint}`);
    return error.exitCode;
  }
}

async function importAll(
  values: Readonly<Record<string, string | boolean | undefined>>,
  positionals: readonly string[],
  ended: (result: ImportResult) => void,
): Promise<ImportResult[]> {
  const [format, folder, ...more] = positionals;
  if (format === undefined || folder === undefined || more.length > 0)
    throw usageError('Give a format and a folder.');
  if (!IMPORT_FORMATS.includes(format as ImportFormat))
    throw usageError(`There is no format ${format}. Formats: ${IMPORT_FORMATS.join(', ')}.`);
  const written = values['recorded-at'];
  const recordedAt = written === undefined ? null : isoTime(String(written));
  if (written !== undefined && recordedAt === null)
    throw usageError('--recorded-at must be a time such as 2026-01-02T03:04:05Z.');
  const results: ImportResult[] = [];
  const options = {
    ...{ format: format as ImportFormat, folder, out: String(values.out ?? 'cases'), recordedAt },
    alertType: String(values['alert-type'] ?? 'kubernetes'),
    server: String(values.server ?? 'kubernetes-server'),
  };
  try {
    await importCases(options, (result) => {
      results.push(result);
      ended(result);
    });
  } catch (error) {
    if (!(error instanceof CaseError)) throw error;
    throw new CliError(EXIT.USAGE, 'CASE_INVALID', error.message);
  }
  return results;
}

function describe(result: ImportResult): string {
  const name = sanitizeLine(result.name);
  if (result.result === 'IMPORTED') return `${name}: ${result.calls} calls\n`;
  return sanitize(`${name}: ${result.result === 'BROKEN' ? 'broken' : 'no case'}: ${result.reason}\n`);
}

function summarize(results: readonly ImportResult[]): string {
  const count = (wanted: ImportResult['result']) => results.filter(({ result }) => result === wanted).length;
  return `${count('IMPORTED')} imported, ${count('REFUSED')} no case, ${count('BROKEN')} broken\n`;
}
