import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { MAX_CASE_BYTES } from '../document.ts';
import { CaseError, type Locate } from '../errors.ts';
import { pathInside, readText } from '../files.ts';
import { parseYaml, type YamlFile } from '../yaml-file.ts';

const MAX_DEPTH = 10;
/** Largest number of files and folders that are looked at. */
const MAX_ENTRIES = 200_000;
/** Folders that hold no cases. */
const IGNORED = new Set(['.git', 'node_modules']);

/** Bytes that may still be read for one case. */
export interface Budget {
  bytes: number;
}

export const newBudget = (): Budget => ({ bytes: MAX_CASE_BYTES });

/** A folder of foreign case files. Links are not followed, and no file outside of the folder is read. */
export interface Source {
  /** The folder as the user named it, for messages. */
  root: string;
  /** Paths of all files, relative to the folder and sorted. */
  files: readonly string[];
  has(file: string): boolean;
  /** Returns a file's text. @throws CaseError */
  text(file: string, budget: Budget): Promise<string>;
  /** Parses a JSON file. @throws CaseError with the line */
  json(file: string, budget: Budget): Promise<YamlFile>;
  /** Parses a YAML file. @throws CaseError with the line */
  yaml(file: string, budget: Budget): Promise<YamlFile>;
  /** Returns a file's path as messages name it. */
  shown(file: string): string;
  /** Returns an error about a place in a file. @param line 1-based; 0 for the whole file */
  problem(file: string, line: number, message: string): CaseError;
}

/** Lists the files of a folder, or only one file. @throws CaseError if there is no such folder, or too much in it */
export async function openSource(path: string): Promise<Source> {
  const isFile = (await stat(path).catch(() => null))?.isFile() ?? false;
  const root = isFile ? dirname(path) : path;
  const fail = (message: string) => new CaseError([{ file: root, line: 0, path: '', message }]);
  const real = await realpath(root).catch(() => {
    throw fail('there is no such folder');
  });
  const files: string[] = [];
  let seen = 0;
  const walk = async (folder: string, depth: number): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => {
      throw fail(`${relative(real, folder) || 'the folder'} cannot be read as a folder`);
    });
    seen += entries.length;
    if (seen > MAX_ENTRIES) throw fail(`has more than ${MAX_ENTRIES} files; name a smaller folder`);
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && depth < MAX_DEPTH && !IGNORED.has(entry.name)) await walk(path, depth + 1);
      else if (!entry.isDirectory()) files.push(relative(real, path));
    }
  };
  if (isFile) files.push(basename(path));
  else await walk(real, 0);
  files.sort();
  const known = new Set(files);
  const shown = (file: string) => join(root, file);
  const text = async (file: string, budget: Budget) => {
    const place = { file: shown(file), line: 0, path: '' };
    return readText(await pathInside(real, file, place), budget, place);
  };
  return {
    root,
    files,
    shown,
    has: (file) => known.has(file),
    text,
    json: async (file, budget) => parseJson(shown(file), await text(file, budget)),
    yaml: async (file, budget) => parseYaml(shown(file), await text(file, budget)),
    problem: (file, line, message) => new CaseError([{ file: shown(file), line, path: '', message }]),
  };
}

/**
 * Parses a JSON text. Finds the line of a value by the first place of its key, or of the key around it.
 * @param before number of lines of the file before the text
 * @throws CaseError
 */
export function parseJson(file: string, text: string, before = 0): YamlFile {
  const lineAt = (offset: number) => before + text.slice(0, offset).split('\n').length;
  const locate: Locate = (path) => {
    const keys = path
      .filter((part) => typeof part === 'string')
      .map((key) => text.indexOf(JSON.stringify(key)));
    const at = keys.findLast((offset) => offset >= 0) ?? 0;
    return { file, line: lineAt(at) };
  };
  try {
    return { data: JSON.parse(text.replace(/^\ufeff/, '')), locate };
  } catch (error) {
    const reason = (error as SyntaxError).message.replace(/ \(line.*$/, '');
    const position = /at position (\d+)/.exec(reason)?.[1];
    const line = lineAt(position === undefined ? text.length : Number(position));
    throw new CaseError([{ file, line, path: '', message: `is not JSON: ${reason}` }]);
  }
}

/** Returns the path of a file in a folder of the source. */
export const fileIn = (folder: string, name: string) => join(folder, name);

/** Returns the name of a case: its path in the source, or the folder's own name, as letters, digits, dots, - and _. */
export function caseName(root: string, path: string): string {
  const written = path === '.' ? basename(resolve(root)) : path.replace(/\.ya?ml$/, '');
  const name = written
    .toLowerCase()
    .replace(/[^a-z0-9._]+/g, '-')
    .replace(/^[^a-z0-9]+|-+$/g, '');
  return name.slice(0, 100) || 'case';
}
