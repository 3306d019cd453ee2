import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readdir, unlink } from 'node:fs/promises';
import { z } from 'zod';
import { fileFailure, systemCode } from '../tool/failure.ts';
import { formatBytes, formatDuration, table } from '../tool/output.ts';
import type { ServerTool } from '../tool/tool.ts';
import { readConcurrently } from './proc.ts';

const DAY_MS = 86_400_000;
const MAX_FILES = 10_000;
const SHOWN = 50;

const input = z.strictObject({
  older_than_days: z
    .int()
    .min(1)
    .max(3650)
    .default(7)
    .describe('Only files that were last written longer ago than this.'),
  dry_run: z.boolean().default(false).describe('true: nothing is removed, the files are only listed.'),
});

interface OldFile {
  name: string;
  bytes: number;
  ageMs: number;
}

/** Removes old regular files of this user from the cleanup folder. Subfolders, links and files of other users stay. */
export function removeOldFilesTool(folder: string): ServerTool<typeof input> {
  return {
    name: 'remove_old_files',
    title: 'Remove old files',
    description:
      `Removes files from ${folder} that were not written for some days, to free disk space. No other folder can be named; ` +
      'folders below it, links, and files of other users stay. With dry_run it only lists them.',
    input,
    changes: true,
    run: async ({ older_than_days: days, dry_run: dryRun }) => {
      const handle = await openFolder(folder);
      try {
        const found = await findOldFiles(handle, days * DAY_MS);
        const old = `were not written for ${days} days`;
        if (found.length === 0) return `No files in ${folder} ${old}.`;
        const which = `from ${folder} that ${old}`;
        if (dryRun) return describeResult('Would remove', which, found, []);
        const { removed, failed } = await removeAll(handle, found);
        return describeResult('Removed', which, removed, failed);
      } finally {
        await handle.close();
      }
    },
  };
}

async function openFolder(folder: string): Promise<FileHandle> {
  try {
    return await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    throw fileFailure(error, `"${folder}"`);
  }
}

/** Returns a path through the open folder, so that replacing the folder by a link has no effect. */
const pathInFolder = (folder: FileHandle, name: string) => `/proc/self/fd/${folder.fd}/${name}`;

async function findOldFiles(folder: FileHandle, olderThanMs: number): Promise<OldFile[]> {
  const now = Date.now();
  const names = await readdir(pathInFolder(folder, '.'));
  const files = await readConcurrently(names, async (name) => ({
    name,
    stats: await lstat(pathInFolder(folder, name)),
  }));
  return files
    .filter(({ stats }) => isOwnRegularFile(stats) && now - stats.mtimeMs > olderThanMs)
    .map(({ name, stats }) => ({ name, bytes: stats.size, ageMs: now - stats.mtimeMs }))
    .sort((a, b) => b.ageMs - a.ageMs)
    .slice(0, MAX_FILES);
}

const isOwnRegularFile = (stats: Stats) => stats.isFile() && stats.uid === process.getuid?.();

async function removeAll(folder: FileHandle, files: readonly OldFile[]) {
  const removed: OldFile[] = [];
  const failed: string[] = [];
  for (const file of files) {
    const code = await unlink(pathInFolder(folder, file.name)).then(() => null, systemCode);
    if (code === null || code === 'ENOENT') removed.push(file);
    else failed.push(`${file.name} could not be removed (${code ?? 'unknown error'})`);
  }
  return { removed, failed };
}

function describeResult(
  done: string,
  which: string,
  files: readonly OldFile[],
  failed: readonly string[],
): string {
  const bytes = formatBytes(files.reduce((sum, file) => sum + file.bytes, 0));
  const rows = files.map((file) => [
    formatBytes(file.bytes),
    `${formatDuration(file.ageMs / 1000)} ago`,
    file.name,
  ]);
  return [
    `${done} ${files.length === 1 ? '1 file' : `${files.length} files`} ${which}, together ${bytes}.`,
    ...(rows.length > 0 ? [table(['size', 'last write', 'name'], rows, SHOWN)] : []),
    ...failed.slice(0, SHOWN),
  ].join('\n');
}
