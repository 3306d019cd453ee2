import type { Logger } from 'pino';
import { settlesWithin } from '../common/time-limit.ts';

/** Time limit for stopping (ms), below the containers' grace period of 30 s. Other workers claim remaining runs. */
const STOP_LIMIT_MS = 25_000;

/** Runs `stop` and waits for at most `limitMs`. @returns true if `stop` ended in time */
export async function stopInTime(
  stop: () => Promise<unknown>,
  logger: Logger,
  limitMs = STOP_LIMIT_MS,
): Promise<boolean> {
  const stopped = await settlesWithin(limitMs, stop());
  if (!stopped) logger.error({ limitMs }, 'stop took too long, other workers resume the rest');
  return stopped;
}

/** Ends the process after `lingerMs`, even if a connection, a child or a timer would keep it alive. */
export function leaveSoon(lingerMs = 3_000): void {
  // unref, so that this timer does not keep the process alive.
  setTimeout(() => process.exit(), lingerMs).unref();
}
