import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Folder for compiled code, because tests start the same programs repeatedly. */
export const COMPILE_CACHE = join(tmpdir(), 'tarsy-test-compile-cache');
