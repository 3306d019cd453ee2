import type { Logger } from 'pino';

type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error';

const LEVELS: Readonly<Record<string, Level>> = {
  trace: 'trace',
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  warning: 'warn',
  error: 'error',
  critical: 'error',
  fatal: 'error',
};

/**
 * Writes a line of another program's log to `logger`, at the level that its JSON names. A line that is not JSON, such as a
 * traceback, is logged as a warning.
 */
export function relayLogLine(logger: Logger, line: string): void {
  if (line.trim() === '') return;
  const said = parse(line);
  if (!said) {
    logger.warn(line);
    return;
  }
  const { level, message, msg, time: _time, timestamp: _timestamp, ...rest } = said;
  const known = LEVELS[String(level).toLowerCase()] ?? 'info';
  logger[known](rest, String(message ?? msg ?? said.event ?? ''));
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
