import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { ensureHome } from './home.ts';

const KEY_BYTES = 32;

/**
 * Returns the installation's encryption key: `TARSY_KEY`, or the key file of the data home, which is created if
 * missing. If the file is unusable, returns a random key, so that no other process can decrypt the data of this one.
 * @param given 32 bytes in base64; `null` if not set
 */
export function installationKey(given: string | null, home: string, logger: Logger): Buffer {
  if (given !== null) return Buffer.from(given, 'base64');
  const path = join(home, 'key');
  const made = randomBytes(KEY_BYTES);
  try {
    ensureHome(home);
    writeFileSync(path, `${made.toString('base64')}\n`, { flag: 'wx', mode: 0o600 });
    return made;
  } catch (error) {
    const key = readKey(path);
    if (key !== null) return key;
    logger.warn(
      { err: error, path },
      'key not stored: set TARSY_KEY, or other processes cannot resume encrypted turns',
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
