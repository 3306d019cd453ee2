import { access, constants, lstat } from 'node:fs/promises';
import { z } from 'zod';
import { formatBytes, formatDuration, table } from '../tool/output.ts';
import type { ServerTool } from '../tool/tool.ts';
import type { HostConfig } from './config.ts';
import { COMPRESSED, findLogs } from './log-files.ts';
import { readConcurrently } from './proc.ts';

const MAX_DEPTH = 4;
const MAX_FILES = 5_000;

const input = z.strictObject({
  match: z.string().min(1).max(200).optional().describe('Only paths that contain this text, e.g. nginx.'),
  limit: z.int().min(1).max(200).default(50).describe('How many files to show, most recently written first.'),
});

export function listLogsTool(config: HostConfig): ServerTool<typeof input> {
  return {
    name: 'list_logs',
    title: 'List log files',
    description:
      'Lists the log files of this host that can be read with tail_log and search_log: path, size, last write, most recent first. ' +
      'Use it first when looking for error logs of a service, or for log files that grow and fill the disk.',
    input,
    run: ({ match, limit }) => listLogs(config, match, limit),
  };
}

async function listLogs(config: HostConfig, match: string | undefined, limit: number): Promise<string> {
  const paths: string[] = [];
  let stopped = false;
  for await (const path of findLogs(config, MAX_DEPTH)) {
    if (match !== undefined && !path.toLowerCase().includes(match.toLowerCase())) continue;
    if (paths.length >= MAX_FILES) {
      stopped = true;
      break;
    }
    paths.push(path);
  }
  const files = await readConcurrently(paths, async (path) => {
    const stats = await lstat(path);
    const readable = await access(path, constants.R_OK).then(
      () => (COMPRESSED.test(path) ? 'no (compressed)' : 'yes'),
      () => 'no',
    );
    return { path, bytes: stats.size, modified: stats.mtime, readable };
  });
  const places = config.logRoots.map((root) => root.path).join(', ');
  if (files.length === 0) return `No log files${match ? ` matching "${match}"` : ''} in ${places}.`;
  files.sort((a, b) => b.modified.getTime() - a.modified.getTime());
  const now = Date.now();
  return [
    `${files.length} log files in ${places}${match ? ` matching "${match}"` : ''}; together ${formatBytes(files.reduce((sum, file) => sum + file.bytes, 0))}:`,
    table(
      ['size', 'last write', 'readable', 'path'],
      files.map(({ bytes, modified, readable, path }) => [
        formatBytes(bytes),
        `${formatDuration((now - modified.getTime()) / 1000)} ago`,
        readable,
        path,
      ]),
      limit,
    ),
    ...(stopped ? [`Stopped after ${MAX_FILES} files; narrow it with match.`] : []),
  ].join('\n');
}
