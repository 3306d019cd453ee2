import { createReadStream } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { errorMessage } from '../common/error-message.ts';
import type { AlertSource } from './args.ts';
import { CliError, EXIT, usageError } from './errors.ts';

/** Maximum input size (bytes), so that a wrong file does not fill the memory. The server has its own limit of 1 MiB. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Returns the alert's text unchanged. @throws CliError (usage) or the signal's reason */
export async function readAlert(source: AlertSource, stdin: Readable, signal: AbortSignal): Promise<string> {
  if (source.kind === 'text') return source.text;
  const name = source.kind === 'file' ? source.path : 'standard input';
  const stream = source.kind === 'file' ? createReadStream(source.path) : stdin;
  const bytes = await readBytes(stream, name, signal);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw usageError(`${name} is not UTF-8 text. Convert it first, for example with iconv.`);
  }
}

async function readBytes(stream: Readable, name: string, signal: AbortSignal): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of addAbortSignal(signal, stream)) {
      const bytes = Buffer.from(part);
      size += bytes.length;
      if (size > MAX_BYTES) {
        throw new CliError(EXIT.USAGE, 'ALERT_TOO_LARGE', `${name} has more than ${MAX_BYTES} bytes.`);
      }
      parts.push(bytes);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CliError) throw error;
    throw usageError(`Cannot read ${name}: ${errorMessage(error)}`);
  }
  return Buffer.concat(parts);
}
