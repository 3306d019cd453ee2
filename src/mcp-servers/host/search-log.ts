import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { errorMessage } from '../../common/error-message.ts';
import { ToolFailure } from '../tool/failure.ts';
import { formatBytes, truncateLine } from '../tool/output.ts';
import type { ServerTool } from '../tool/tool.ts';
import type { HostConfig } from './config.ts';
import { type LogFile, openLog } from './log-files.ts';
import type { SearchProgress, SearchRequest } from './search-worker.ts';
import { logPath } from './tail-log.ts';

/** Maximum searched size (bytes). Only the end of a larger file is searched, because alerts are about recent events. */
const MAX_SEARCH_BYTES = 64 * 1024 * 1024;
/** Time limit of a search (ms). Terminating the thread also stops patterns that backtrack without end. */
const DEADLINE_MS = 5_000;
const LINE_CHARACTERS = 2000;

const input = z.strictObject({
  path: logPath,
  pattern: z.string().min(1).max(200).describe('Text to look for, e.g. error or "connection refused".'),
  regex: z
    .boolean()
    .default(false)
    .describe('true: pattern is a JavaScript regular expression, matched line by line.'),
  ignore_case: z.boolean().default(true).describe('false: upper and lower case differ.'),
  limit: z.int().min(1).max(500).default(50).describe('How many of the last matching lines to show.'),
});

export function searchLogTool(config: HostConfig): ServerTool<typeof input> {
  return {
    name: 'search_log',
    title: 'Search a log file',
    description:
      'Searches a log file of this host for a text or regular expression and shows the last matching lines with line counts. ' +
      'Use it to find errors, exceptions, timeouts, OOM killer messages, failed connections or a request id in an error log.',
    input,
    keep: 'tail',
    async run(args, signal) {
      if (args.regex) checkPattern(args.pattern);
      const log = await openLog(config, args.path);
      try {
        const from = Math.max(0, log.bytes - MAX_SEARCH_BYTES);
        const found = await search(
          {
            fd: log.handle.fd,
            from,
            to: log.bytes,
            pattern: args.regex ? args.pattern : RegExp.escape(args.pattern),
            flags: args.ignore_case ? 'i' : '',
            limit: args.limit,
          },
          signal,
        );
        return render(log, from, args.pattern, found);
      } finally {
        await log.handle.close();
      }
    },
  };
}

function checkPattern(pattern: string): void {
  try {
    new RegExp(pattern);
  } catch (error) {
    throw new ToolFailure('BAD_INPUT', `pattern: ${errorMessage(error)}.`);
  }
}

interface Found {
  lines: string[];
  matches: number;
  searchedLines: number;
  position: number;
  timedOut: boolean;
}

/** Runs the search in a thread that is terminated at the deadline; returns the matches found until then. */
async function search(request: SearchRequest, signal: AbortSignal): Promise<Found> {
  const found: Found = { lines: [], matches: 0, searchedLines: 0, position: request.from, timedOut: false };
  signal.throwIfAborted();
  const worker = new Worker(new URL('./search-worker.ts', import.meta.url), { workerData: request });
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        found.timedOut = true;
        resolve();
      }, DEADLINE_MS);
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        settle();
      };
      worker.on('message', (progress: SearchProgress) => {
        found.matches += progress.matches;
        found.searchedLines += progress.lines;
        found.position = progress.position;
        found.lines = [...found.lines, ...progress.found].slice(-request.limit);
      });
      worker.once('error', (error) => finish(() => reject(error)));
      worker.once('exit', () => finish(resolve));
      signal.addEventListener('abort', () => finish(() => reject(signal.reason)), { once: true });
    });
  } finally {
    await worker.terminate();
  }
  return found;
}

function render({ path, bytes }: LogFile, from: number, pattern: string, found: Found): string {
  const notes: string[] = [];
  if (from > 0)
    notes.push(`Only the last ${formatBytes(bytes - from)} of ${formatBytes(bytes)} were searched.`);
  if (found.timedOut) {
    const share = Math.floor(((found.position - from) / Math.max(1, bytes - from)) * 100);
    notes.push(`Stopped after ${DEADLINE_MS / 1000} s at ${share}% of that part: there may be more matches.`);
  }
  const head =
    found.matches === 0
      ? `No ${found.timedOut ? 'searched ' : ''}line of ${path} matches "${pattern}" (${found.searchedLines} lines searched).`
      : `${found.matches} of ${found.searchedLines} lines of ${path} match "${pattern}"; the last ${found.lines.length}:`;
  return [...notes, head, ...found.lines.map((line) => truncateLine(line, LINE_CHARACTERS))].join('\n');
}
