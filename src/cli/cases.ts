import { type CaseDocument, MAX_CASE_BYTES } from '../cases/document.ts';
import { CaseError } from '../cases/errors.ts';
import { findCaseFolders, readCaseFolder, writeCaseFolder } from '../cases/folder.ts';
import { parseCaseDocument } from '../cases/parse-document.ts';
import { sanitizeLine } from '../common/printable.ts';
import { request, type Server } from './api.ts';
import type { Command } from './command.ts';
import {
  CASE_DOCUMENT,
  CASES,
  type CaseResult,
  type CaseSummary,
  CREATE_CASE,
  DELETE_CASE,
  IMPORT_CASE,
  type ListedCase,
} from './contract-cases.ts';
import { CliError, EXIT, usageError } from './errors.ts';
import { CASE } from './help-cases.ts';

export const caseCommand: Command = {
  help: CASE,
  requiredScopes: 'READ,REVIEW',
  async run({ values, positionals }, server) {
    const [action, first, second, ...more] = positionals;
    if (more.length > 0) throw usageError('Too many arguments.');
    const { name } = values;
    if (action === 'list' && second === undefined) return list(server, first ?? null);
    if (action === 'create' && first && name && second === undefined)
      return described('Made', await createCase(server, { sessionId: first, name }));
    if (action === 'export' && first && second) return exportCase(server, first, second);
    if (action === 'import' && first && second === undefined) return importAll(server, first);
    if (action === 'check' && first && second === undefined) return checkAll(first);
    if (action === 'delete' && first && second === undefined) {
      await mutate(server, 'deleteCase', { document: DELETE_CASE, variables: { id: first } });
      return `Deleted ${sanitizeLine(first)}.\n`;
    }
    throw usageError(
      'Use list [SEARCH], create SESSION --name NAME, export ID FOLDER, import PATH, check PATH, or delete ID.',
    );
  },
};

async function list(server: Server, search: string | null): Promise<string> {
  const found: ListedCase[] = [];
  let after: string | null = null;
  do {
    const {
      cases,
    }: { cases: { nodes: ListedCase[]; pageInfo: { hasNextPage: boolean; endCursor: string } } } =
      await request(server, { document: CASES, variables: { search, after } });
    found.push(...cases.nodes);
    after = cases.pageInfo.hasNextPage ? cases.pageInfo.endCursor : null;
  } while (after !== null);
  if (found.length === 0) return 'There are no cases.\n';
  return found
    .map(({ id, name, world, alertType, recordedCalls, createdAt }) =>
      sanitizeLine(
        `${id}  ${name}  ${alertType}  ${world.toLowerCase()}  ${recordedCalls} calls  ${createdAt}`,
      ),
    )
    .join('\n')
    .concat('\n');
}

async function createCase(server: Server, input: { sessionId: string; name: string }): Promise<CaseSummary> {
  return (await mutate(server, 'createCase', { document: CREATE_CASE, variables: { input } })).case!;
}

/** Stores a case on the server. An equal case there is used again. */
export async function importCase(server: Server, document: CaseDocument): Promise<CaseSummary> {
  const json = JSON.stringify(document);
  if (Buffer.byteLength(json) > MAX_CASE_BYTES)
    throw new CliError(
      EXIT.USAGE,
      'CASE_TOO_LARGE',
      `The case ${document.name} is larger than 8 MiB as JSON. Shorten its outputs.`,
    );
  const variables = { input: { document: json } };
  return (await mutate(server, 'importCase', { document: IMPORT_CASE, variables })).case!;
}

async function exportCase(server: Server, id: string, folder: string): Promise<string> {
  const { node } = await request<{ node: { name: string; document: string } | null }>(server, {
    document: CASE_DOCUMENT,
    variables: { id },
  });
  if (!node?.document) throw new CliError(EXIT.USAGE, 'NOT_FOUND', `There is no case ${id}.`);
  await withCaseErrors(() => writeCaseFolder(folder, parseCaseDocument(node.document)));
  return `Wrote ${sanitizeLine(node.name)} to ${folder}.\n`;
}

async function importAll(server: Server, path: string): Promise<string> {
  await checkCases(path);
  const stored = await storeCases(server, path);
  return stored.map((one) => described('Imported', one)).join('');
}

async function checkAll(path: string): Promise<string> {
  const checked = await checkCases(path);
  return checked.map(({ name, calls }) => `${name}: fine, ${calls} calls\n`).join('');
}

/**
 * Reads the case of a folder, or those of the folders in it, one after the other, because a suite has more of them than
 * fit into memory.
 * @throws CliError with file and line
 */
export function checkCases(path: string): Promise<{ name: string; calls: number }[]> {
  return eachCase(path, async ({ name, calls }) => ({ name, calls: calls.length }));
}

/** Stores cases on the server. Check them first, so that a broken one stores nothing. @throws CliError */
export function storeCases(server: Server, path: string): Promise<CaseSummary[]> {
  return eachCase(path, (document) => importCase(server, document));
}

/** Reads all cases of a folder into memory. @throws CliError with file and line */
export function readCases(path: string): Promise<CaseDocument[]> {
  return eachCase(path, async (document) => document);
}

function eachCase<T>(path: string, use: (document: CaseDocument) => Promise<T>): Promise<T[]> {
  return withCaseErrors(async () => {
    const results: T[] = [];
    for (const folder of await findCaseFolders(path)) results.push(await use(await readCaseFolder(folder)));
    return results;
  });
}

async function withCaseErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CaseError)) throw error;
    throw new CliError(EXIT.USAGE, 'CASE_INVALID', error.message);
  }
}

/** Sends a mutation whose result is a union with errors. @throws CliError for a refusal */
async function mutate(
  server: Server,
  field: string,
  operation: { document: string; variables: Record<string, unknown> },
): Promise<CaseResult> {
  const answer = await request<Record<string, CaseResult>>(server, operation);
  const result = answer[field]!;
  if (result.code !== undefined) throw new CliError(EXIT.USAGE, result.code, result.message ?? '');
  return result;
}

function described(verb: string, { id, name, recordedCalls }: CaseSummary): string {
  return `${verb} ${sanitizeLine(name)} with ${recordedCalls} calls: ${id}\n`;
}
