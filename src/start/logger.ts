import { createRequire } from 'node:module';
import { type Logger, type LoggerOptions, pino } from 'pino';
import type { PinoPretty } from 'pino-pretty';
import type { Environment } from '../config/env.ts';

/** Maximum size of buffered lines while writing fails, as on a full disk (bytes). Further lines are dropped. */
const MAX_UNWRITTEN = 1024 * 1024;

/**
 * Creates the process's logger on standard error: JSON lines, or readable lines for a terminal.
 * @param redact removes secrets from every line
 */
export function createLogger(
  environment: Pick<Environment, 'logLevel' | 'logFormat'>,
  redact: (text: string) => string = (text) => text,
): Logger {
  const options: LoggerOptions = {
    level: environment.logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    hooks: { streamWrite: redact },
  };
  if (environment.logFormat === 'json') {
    const out = pino.destination({ dest: 2, sync: true, maxLength: MAX_UNWRITTEN });
    out.on('error', () => {}); // an unhandled error would end the process if the log's reader is gone
    return pino(options, out);
  }
  const pretty = createRequire(import.meta.url)('pino-pretty') as typeof PinoPretty; // loaded only if used
  const colorize = process.stderr.isTTY === true && process.env.NO_COLOR === undefined;
  return pino(
    options,
    pretty({ destination: 2, sync: true, colorize, translateTime: 'SYS:HH:MM:ss', singleLine: true }),
  );
}
