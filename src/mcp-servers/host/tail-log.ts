import { z } from 'zod';
import { formatBytes, truncateLine } from '../tool/output.ts';
import type { ServerTool } from '../tool/tool.ts';
import type { HostConfig } from './config.ts';
import { type LogFile, openLog } from './log-files.ts';

const BLOCK_BYTES = 64 * 1024;
const MAX_READ_BYTES = 1024 * 1024;
const LINE_CHARACTERS = 2000;

export const logPath = z
  .string()
  .min(1)
  .max(4096)
  .describe('Path of a log file, as list_logs shows it, e.g. /var/log/syslog.');

const input = z.strictObject({
  path: logPath,
  lines: z.int().min(1).max(1000).default(100).describe('How many of the last lines.'),
});

export function tailLogTool(config: HostConfig): ServerTool<typeof input> {
  return {
    name: 'tail_log',
    title: 'Tail of a log file',
    description:
      'The last lines of a log file of this host (newest at the end). Use it to see recent errors, crashes, restarts or messages of a service ' +
      'in its error log, syslog or application log.',
    input,
    keep: 'tail',
    async run({ path, lines }) {
      const log = await openLog(config, path);
      try {
        return await tail(log, lines);
      } finally {
        await log.handle.close();
      }
    },
  };
}

async function tail(log: LogFile, lines: number): Promise<string> {
  const blocks: Buffer[] = [];
  let start = log.bytes;
  let newlines = 0;
  // Needs one newline more than lines, because no line follows the final newline.
  while (start > 0 && newlines <= lines && log.bytes - start < MAX_READ_BYTES) {
    const size = Math.min(BLOCK_BYTES, start);
    const { bytesRead, buffer } = await log.handle.read(Buffer.alloc(size), 0, size, start - size);
    start -= size;
    const block = buffer.subarray(0, bytesRead);
    blocks.unshift(block);
    newlines += block.reduce((count, byte) => count + Number(byte === 10), 0);
  }
  const all = Buffer.concat(blocks).toString().replaceAll('\0', '').replace(/\n$/, '').split('\n');
  // Skips the first line of a read from inside the file, because it is probably incomplete.
  const whole = start > 0 && all.length > 1 ? all.slice(1) : all;
  const shown = whole.slice(-lines).map((line) => truncateLine(line, LINE_CHARACTERS));
  const head = `${log.path} (${formatBytes(log.bytes)}, last written ${log.modified.toISOString().slice(0, 19)}Z)`;
  if (log.bytes === 0) return `${head}: the file is empty.`;
  return `${head}, last ${shown.length} lines:\n${shown.join('\n')}`;
}
