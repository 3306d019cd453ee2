import { lstat, realpath } from 'node:fs/promises';
import { z } from 'zod';
import { fileFailure, ToolFailure } from '../tool/failure.ts';
import { formatBytes, table } from '../tool/output.ts';
import type { ServerTool } from '../tool/tool.ts';
import type { HostConfig } from './config.ts';
import { isWithin } from './paths.ts';
import { type WalkResult, walk } from './walk.ts';

/** Time limit of the walk (ms), because the model waits for the answer. */
const TIME_LIMIT_MS = 15_000;
/** Maximum number of examined entries, which limits memory to some tens of megabytes. */
const ENTRY_LIMIT = 500_000;
/** Share of a directory's size. If one subdirectory has at least this share, only the subdirectory is shown. */
const DOMINATED_SHARE = 0.9;

const input = z.strictObject({
  path: z
    .string()
    .min(1)
    .max(4096)
    .default('/')
    .describe('Absolute directory where the search begins, e.g. /var.'),
  limit: z.int().min(1).max(50).default(15).describe('How many directories and how many files to show.'),
});

export function largestDirectoriesTool(config: HostConfig): ServerTool<typeof input> {
  return {
    name: 'largest_directories',
    title: 'Largest directories and files',
    description:
      'The largest directories and the largest files below a path of this host, with sizes and file counts ' +
      '(like du). Stays on one filesystem; bounded in time and says so when it stopped early. Use it to find what fills a disk, ' +
      'filesystem or volume.',
    input,
    async run({ path, limit }, signal) {
      const root = await allowedDirectory(config, path);
      const result = await walk(root, {
        timeLimitMs: TIME_LIMIT_MS,
        entryLimit: ENTRY_LIMIT,
        topFiles: limit,
        signal,
      });
      return render(root, result, limit);
    },
  };
}

async function allowedDirectory(config: HostConfig, path: string): Promise<string> {
  if (!path.startsWith('/')) throw new ToolFailure('BAD_INPUT', 'path must be absolute.');
  try {
    const real = await realpath(path);
    const roots = await Promise.all(config.walkRoots.map((root) => realpath(root).catch(() => null)));
    if (!roots.some((root) => root !== null && isWithin(real, root))) {
      throw new ToolFailure('NOT_ALLOWED', `"${path}" is outside of ${config.walkRoots.join(', ')}.`);
    }
    if (['/proc', '/sys', '/dev'].some((pseudo) => isWithin(real, pseudo))) {
      throw new ToolFailure('NOT_ALLOWED', `"${path}" is a view of the kernel and takes no disk space.`);
    }
    if (!(await lstat(real)).isDirectory()) throw new ToolFailure('BAD_INPUT', `"${path}" is no directory.`);
    return real;
  } catch (error) {
    throw fileFailure(error, `"${path}"`);
  }
}

function render(root: string, result: WalkResult, limit: number): string {
  const directories = result.directories
    .filter(
      (directory) => directory.path === root || directory.largestChild < directory.bytes * DOMINATED_SHARE,
    )
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, limit);
  const notes = [
    `Looked at ${result.entries} entries in ${(result.elapsedMs / 1000).toFixed(1)} s; other filesystems mounted below are not counted.`,
  ];
  if (result.stopped !== null) {
    notes.push(
      `Stopped after ${result.stopped}: ${result.unvisited} directories were not looked into, all sizes are lower bounds.`,
    );
  }
  if (result.denied > 0)
    notes.push(`${result.denied} directories could not be read by the user this server runs as.`);
  return [
    `Largest directories below ${root} (size on disk with everything below):`,
    table(
      ['size', 'files', 'directory'],
      directories.map((directory) => [formatBytes(directory.bytes), String(directory.files), directory.path]),
    ),
    '',
    `Largest files below ${root}:`,
    table(
      ['size', 'modified', 'file'],
      result.files.map((file) => [
        formatBytes(file.bytes),
        file.modified.toISOString().slice(0, 16),
        file.path,
      ]),
    ),
    '',
    ...notes,
  ].join('\n');
}
