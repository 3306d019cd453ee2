import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants } from 'node:zlib';
import compression from 'compression';
import { COMPRESSED_FROM_BYTES } from './tunables.ts';

// Fast ones: an answer is made once and read once, most of them over a network that is near.
const middleware = compression({
  threshold: COMPRESSED_FROM_BYTES,
  level: 3,
  brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } },
});

/**
 * Has what will be written to `res` compressed, by what the client takes: brotli or gzip. Event streams are left alone
 * (`no-transform`): their messages are small and must not wait for one another.
 */
export function compress(req: IncomingMessage, res: ServerResponse): void {
  // Its types are those of Express; it needs no more than node:http has.
  middleware(req as never, res as never, () => {});
}
