import type { Logger } from 'pino';
import { within } from '../common/within.ts';

/**
 * Milliseconds that a stop may take. Below the grace of containers (30 s): what cannot be handed over in that time is
 * taken over by others when its lease runs out, so nothing is gained by hanging on.
 */
const STOP_LIMIT_MS = 25_000;

/** Milliseconds after everything was stopped until the process ends, whatever still keeps it alive. */
const LINGER_MS = 3_000;

/** Stops, but not for ever. @returns whether it came to its end in time */
export async function stopInTime(
  stop: () => Promise<unknown>,
  logger: Logger,
  limitMs: number = STOP_LIMIT_MS,
): Promise<boolean> {
  const stopped = await within(limitMs, stop());
  if (!stopped) logger.error({ limitMs }, 'stopping took too long, leaving what is left to others');
  return stopped;
}

/** Ends the process, with its exit code, even if a connection, a child or a timer was forgotten. */
export function leaveSoon(lingerMs: number = LINGER_MS): void {
  // Does not itself keep the process: without leftovers it ends at once.
  setTimeout(() => process.exit(), lingerMs).unref();
}
