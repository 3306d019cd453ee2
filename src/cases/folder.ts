import { mkdir, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { parseCallsFile } from './calls-file.ts';
import { type CaseDocument, type CaseFile, caseFile, MAX_CASE_BYTES, orderedDocument } from './document.ts';
import { CaseError, checked, checkReferences, type Locate } from './errors.ts';
import { pathInside, readText } from './files.ts';
import { parseYaml } from './yaml-file.ts';

const CASE_FILE = 'case.yaml';
const OUTPUTS = 'outputs';
/** Outputs up to this length (UTF-16 code units) and without line breaks stand in case.yaml itself. */
const INLINE_UNITS = 200;
/** More calls than this stand in one file, because thousands of small files are slow to write and to clone. */
const MANY_CALLS = 200;
const CALLS_FILE = `${OUTPUTS}/calls.jsonl`;

/** Reads a case from its folder. @throws CaseError with file and line of each problem */
export async function readCaseFolder(folder: string): Promise<CaseDocument> {
  const path = join(folder, CASE_FILE);
  const budget = { bytes: MAX_CASE_BYTES };
  const { data, locate } = parseYaml(path, await readText(path, budget, { file: path, line: 0, path: '' }));
  const file = checked<CaseFile>(caseFile, data, locate);
  checkReferences(file, locate);
  const root = await realpath(folder);
  const { calls, calls_file: callsFile, ...rest } = file;
  if (callsFile !== undefined) {
    const place = { ...locate(['calls_file']), path: 'calls_file' };
    if (calls.length > 0) throw new CaseError([{ ...place, message: 'give either calls or calls_file' }]);
    const text = await readText(await pathInside(root, callsFile, place), budget, place);
    const many = parseCallsFile(join(folder, callsFile), text);
    checkReferences({ ...rest, calls: many.calls }, many.locate);
    return orderedDocument({ ...rest, calls: many.calls });
  }
  return orderedDocument({ ...rest, calls: await readOutputs(calls, { root, budget, locate }) });
}

/** Adds the outputs that are files. @throws CaseError */
async function readOutputs(
  calls: CaseFile['calls'],
  { root, budget, locate }: { root: string; budget: { bytes: number }; locate: Locate },
): Promise<CaseDocument['calls']> {
  const read: CaseDocument['calls'] = [];
  for (const [index, { output, output_file: written, ...call }] of calls.entries()) {
    const at = (key: string) => ({ ...locate(['calls', index, key]), path: `calls.${index}.${key}` });
    if ((output === undefined) === (written === undefined))
      throw new CaseError([{ ...at('output'), message: 'give either output or output_file' }]);
    const text =
      written === undefined
        ? output!
        : await readText(await pathInside(root, written, at('output_file')), budget, at('output_file'));
    read.push({ ...call, output: text });
  }
  return read;
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
  try {
    await mkdir(join(temporary, OUTPUTS), { recursive: true });
    for (const [name, text] of Object.entries(caseFiles(document)))
      await writeFile(join(temporary, name), text);
    await rm(folder, { recursive: true, force: true });
    await rename(temporary, folder);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  }
}

/** Returns the files of a case by their paths in its folder. */
export function caseFiles(document: CaseDocument): Record<string, string> {
  const files: Record<string, string> = {};
  const { calls, ...rest } = orderedDocument(document);
  const asYaml = (content: object) => stringify(content, { lineWidth: 0, aliasDuplicateObjects: false });
  if (calls.length > MANY_CALLS)
    return {
      [CASE_FILE]: asYaml({ ...rest, calls_file: CALLS_FILE }),
      [CALLS_FILE]: calls.map((call) => `${JSON.stringify(call)}\n`).join(''),
    };
  const width = String(calls.length).length;
  const written = calls.map(({ output, ...call }, index) => {
    if (output.length <= INLINE_UNITS && !/[\r\n]/.test(output)) return { ...call, output };
    const number = String(index + 1).padStart(Math.max(3, width), '0');
    const path = `${OUTPUTS}/${number}-${call.server}.${call.tool}.${isJson(output) ? 'json' : 'txt'}`;
    files[path] = output;
    return { ...call, output_file: path };
  });
  return { [CASE_FILE]: asYaml({ ...rest, calls: written }), ...files };
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
