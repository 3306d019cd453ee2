import { constants, open, realpath } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, sep } from 'node:path';
import { MAX_CASE_BYTES } from './document.ts';
import { CaseError, type CaseIssue } from './errors.ts';

/** Where a file is named, for messages about it. */
export type Place = Omit<CaseIssue, 'message'>;

/** Returns the path of a file in a folder. Links must not lead out of the folder. @throws CaseError */
export async function pathInside(root: string, written: string, place: Place): Promise<string> {
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
export async function readText(path: string, budget: { bytes: number }, place: Place): Promise<string> {
  const fail = (message: string) => new CaseError([{ ...place, message }]);
  // O_NONBLOCK, because opening a named pipe would wait for a writer without end.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => {
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
