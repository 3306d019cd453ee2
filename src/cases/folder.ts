import { mkdir, open, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { stringify } from 'yaml';
import { type CaseDocument, type CaseFile, caseFile, MAX_CASE_BYTES, orderedDocument } from './document.ts';
import { CaseError, type CaseIssue, checked, checkReferences } from './errors.ts';
import { parseYaml } from './yaml-file.ts';

const CASE_FILE = 'case.yaml';
const OUTPUTS = 'outputs';
/** Outputs up to this length (UTF-16 code units) and without line breaks stand in case.yaml itself. */
const INLINE_UNITS = 200;

/** Reads a case from its folder. @throws CaseError with file and line of each problem */
export async function readCaseFolder(folder: string): Promise<CaseDocument> {
  const path = join(folder, CASE_FILE);
  const budget = { bytes: MAX_CASE_BYTES };
  const { data, locate } = parseYaml(path, await readText(path, budget, { file: path, line: 0, path: '' }));
  const file = checked<CaseFile>(caseFile, data, locate);
  checkReferences(file, locate);
  const root = await realpath(folder);
  const calls: CaseDocument['calls'] = [];
  for (const [index, { output, output_file: written, ...call }] of file.calls.entries()) {
    const at = (key: string) => ({ ...locate(['calls', index, key]), path: `calls.${index}.${key}` });
    if ((output === undefined) === (written === undefined))
      throw new CaseError([{ ...at('output'), message: 'give either output or output_file' }]);
    const text =
      written === undefined
        ? output!
        : await readText(await pathInside(root, written, at('output_file')), budget, at('output_file'));
    calls.push({ ...call, output: text });
  }
  return orderedDocument({ ...file, calls });
}

/** Returns the folders with a case: the given one, or those directly in it. @throws CaseError if there are none */
export async function findCaseFolders(path: string): Promise<string[]> {
  const issue = (message: string) => new CaseError([{ file: path, line: 0, path: '', message }]);
  if (basename(path) === CASE_FILE) return [dirname(path)];
  const entries = await readdir(path, { withFileTypes: true }).catch(() => {
    throw issue('there is no such folder');
  });
  if (entries.some(({ name }) => name === CASE_FILE)) return [path];
  const folders: string[] = [];
  for (const { name } of entries.filter((entry) => entry.isDirectory()).sort(byName))
    if ((await readdir(join(path, name))).includes(CASE_FILE)) folders.push(join(path, name));
  if (folders.length === 0) throw issue(`has no case: neither ${CASE_FILE} nor a folder with one`);
  return folders;
}

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);

/** Writes a case into a folder, which is replaced as a whole. The same case always gives the same bytes. */
export async function writeCaseFolder(path: string, document: CaseDocument): Promise<void> {
  const folder = resolve(path);
  const entries = await readdir(folder).catch(() => []);
  const others = entries.filter((name) => name !== CASE_FILE && name !== OUTPUTS);
  if (others.length > 0) {
    const message = `is not empty: it has ${others[0]}. Give a new folder, or that of a case.`;
    throw new CaseError([{ file: folder, line: 0, path: '', message }]);
  }
  const temporary = `${folder}.new-${process.pid}`;
  await rm(temporary, { recursive: true, force: true });
  await mkdir(join(temporary, OUTPUTS), { recursive: true });
  for (const [name, text] of Object.entries(caseFiles(document)))
    await writeFile(join(temporary, name), text);
  await rm(folder, { recursive: true, force: true });
  await rename(temporary, folder);
}

/** Returns the files of a case by their paths in its folder. */
export function caseFiles(document: CaseDocument): Record<string, string> {
  const files: Record<string, string> = {};
  const { calls, ...rest } = orderedDocument(document);
  const width = String(calls.length).length;
  const written = calls.map(({ output, ...call }, index) => {
    if (output.length <= INLINE_UNITS && !/[\r\n]/.test(output)) return { ...call, output };
    const number = String(index + 1).padStart(Math.max(3, width), '0');
    const path = `${OUTPUTS}/${number}-${call.server}.${call.tool}.${isJson(output) ? 'json' : 'txt'}`;
    files[path] = output;
    return { ...call, output_file: path };
  });
  const text = stringify({ ...rest, calls: written }, { lineWidth: 0, aliasDuplicateObjects: false });
  return { [CASE_FILE]: text, ...files };
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

type Place = Omit<CaseIssue, 'message'>;

/** Returns the path of a file in the folder. Links must not lead out of the folder. @throws CaseError */
async function pathInside(root: string, written: string, place: Place): Promise<string> {
  const outside = new CaseError([
    { ...place, message: `${written} is not a file in the folder of the case` },
  ]);
  if (isAbsolute(written) || written.split(/[\\/]/).includes('..')) throw outside;
  const path = await realpath(join(root, written)).catch(() => {
    throw new CaseError([{ ...place, message: `there is no file ${written}` }]);
  });
  if (relative(root, path).split(sep)[0] === '..' || isAbsolute(relative(root, path))) throw outside;
  return path;
}

/** Reads a text file within what is left of the size of a case. @throws CaseError */
async function readText(path: string, budget: { bytes: number }, place: Place): Promise<string> {
  const fail = (message: string) => new CaseError([{ ...place, message }]);
  const file = await open(path).catch(() => {
    throw fail(`${basename(path)} cannot be read: there is no such file, or no right to read it`);
  });
  try {
    const status = await file.stat();
    if (!status.isFile()) throw fail(`${basename(path)} is not a file`);
    if (status.size > budget.bytes)
      throw fail(
        `the case is larger than ${MAX_CASE_BYTES / 1024 / 1024} MiB with ${basename(path)} (${status.size} bytes); shorten its outputs`,
      );
    budget.bytes -= status.size;
    const bytes = await file.readFile();
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof CaseError) throw error;
    throw fail(`${basename(path)} is not UTF-8 text`);
  } finally {
    await file.close();
  }
}
