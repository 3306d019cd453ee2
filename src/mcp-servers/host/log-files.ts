import { constants } from 'node:fs';
import { type FileHandle, open, opendir, readlink, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileFailure, ToolFailure } from '../tool/failure.ts';
import type { HostConfig, LogRoot } from './config.ts';
import { isWithin } from './paths.ts';

/** Matches log names: `app.log`, and rotated ones such as `app.log.1`, `app.log-20261129` and `app.log.2026-11-29`. */
const LOG_NAME = /\.log(?:[.-]\d[\d.-]*)?$/;
/** Matches names of compressed files, which are listed but not read. */
export const COMPRESSED = /\.(?:gz|xz|zst|bz2)$/;
/** Bytes read at each end to tell text from binary files such as wtmp or a journal. */
const PROBE_BYTES = 4096;

/** An open, allowed log file. The caller closes `handle`. */
export interface LogFile {
  handle: FileHandle;
  path: string;
  bytes: number;
  modified: Date;
}

function isAllowed(real: string, roots: readonly LogRoot[]): boolean {
  return roots.some(
    (root) => isWithin(real, root.path) && (!root.onlyLogNames || LOG_NAME.test(basename(real))),
  );
}

async function resolvedRoots(config: HostConfig): Promise<LogRoot[]> {
  const roots = await Promise.all(
    config.logRoots.map(async (root) => ({ ...root, path: await realpath(root.path).catch(() => '') })),
  );
  return roots.filter(({ path }) => path !== '');
}

function notAllowed(path: string, config: HostConfig): ToolFailure {
  const places = config.logRoots.map((root) =>
    root.onlyLogNames ? `${root.path}/**/*.log` : `${root.path}/**`,
  );
  return new ToolFailure(
    'NOT_ALLOWED',
    `"${path}" is not one of the log files that may be read: ${places.join(', ')}.`,
  );
}

/**
 * Opens an allowed log file. Links are resolved first and the opened file is checked again, so that a link changed in
 * between has no effect. A relative path is searched in each log directory. @throws ToolFailure
 */
export async function openLog(config: HostConfig, path: string): Promise<LogFile> {
  if (path.includes('\0')) throw new ToolFailure('BAD_INPUT', 'path holds a NUL character.');
  const roots = await resolvedRoots(config);
  const real = await resolveLog(roots, path);
  if (!isAllowed(real, roots)) throw notAllowed(path, config);
  if (COMPRESSED.test(real))
    throw new ToolFailure('NOT_SUPPORTED', `"${path}" is compressed; only plain text is read.`);
  let handle: FileHandle;
  try {
    // Non-blocking, because opening a named pipe would wait for a writer.
    handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw fileFailure(error, `"${path}"`);
  }
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new ToolFailure('BAD_INPUT', `"${path}" is no regular file.`);
    const opened = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => real);
    if (!isAllowed(opened, roots)) throw notAllowed(path, config);
    if (!(await isText(handle, stats.size))) {
      throw new ToolFailure('NOT_SUPPORTED', `"${path}" is a binary file; only plain text is read.`);
    }
    return { handle, path: real, bytes: stats.size, modified: stats.mtime };
  } catch (error) {
    await handle.close();
    throw fileFailure(error, `"${path}"`);
  }
}

/**
 * True if the file is text. A text may begin with NUL bytes: a program that does not append writes at its old position
 * after its log was emptied, and the space before it reads as NUL.
 */
async function isText(handle: FileHandle, bytes: number): Promise<boolean> {
  const read = async (position: number) => {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(PROBE_BYTES), 0, PROBE_BYTES, position);
    return buffer.toString('latin1', 0, bytesRead);
  };
  if (!(await read(0)).includes('\0')) return true;
  const end = await read(Math.max(0, bytes - PROBE_BYTES));
  return /[^\0]/.test(end) && !end.replace(/^\0+/, '').includes('\0');
}

async function resolveLog(roots: readonly LogRoot[], path: string): Promise<string> {
  const candidates = path.startsWith('/') ? [path] : roots.map((root) => join(root.path, path));
  let failure: unknown = { code: 'ENOENT' };
  for (const candidate of candidates) {
    try {
      return await realpath(candidate);
    } catch (error) {
      failure = error;
    }
  }
  throw fileFailure(failure, `"${path}"`);
}

/** Yields the paths of allowed files below the log directories, without following links. */
export async function* findLogs(config: HostConfig, maxDepth: number): AsyncGenerator<string> {
  const roots = await resolvedRoots(config);
  const queue = roots.map((root) => ({ path: root.path, depth: 0 }));
  const seen = new Set<string>();
  for (const folder of queue) {
    if (seen.has(folder.path)) continue;
    seen.add(folder.path);
    try {
      for await (const entry of await opendir(folder.path)) {
        const path = join(folder.path, entry.name);
        if (entry.isDirectory() && folder.depth < maxDepth) queue.push({ path, depth: folder.depth + 1 });
        if (entry.isFile() && isAllowed(path, roots)) yield path;
      }
    } catch (error) {
      // Skips directories that are unreadable or were removed meanwhile.
      if (fileFailure(error, folder.path).code === 'FAILED') throw error;
    }
  }
}
