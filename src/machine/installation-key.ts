import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { ensureHome } from './home.ts';

const KEY_BYTES = 32;

/**
 * The key of the installation: `TARSY_KEY`, else that of the data home, made when it is missing. Where neither can be
 * had, a key of this process alone: what it encrypts, no other process can read.
 * @param given 32 bytes in base64; null = not set
 */
export function installationKey(given: string | null, home: string, logger: Logger): Buffer {
  if (given !== null) return Buffer.from(given, 'base64');
  const path = join(home, 'key');
  const made = randomBytes(KEY_BYTES);
  try {
    ensureHome(home);
    // Only one of several processes makes it; the others read what it made.
    writeFileSync(path, `${made.toString('base64')}\n`, { flag: 'wx', mode: 0o600 });
    return made;
  } catch (error) {
    const key = readKey(path);
    if (key !== null) return key;
    logger.warn(
      { err: error, path },
      'no key can be kept: set TARSY_KEY, or other processes cannot go on with all of a turn',
    );
    return made;
  }
}

function readKey(path: string): Buffer | null {
  try {
    const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64');
    return key.length === KEY_BYTES ? key : null;
  } catch {
    return null;
  }
}
