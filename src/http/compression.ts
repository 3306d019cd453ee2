import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants } from 'node:zlib';
import compression from 'compression';
import { COMPRESSED_FROM_BYTES } from './tunables.ts';

// Fast settings, because each answer is compressed once and usually crosses a fast network.
const middleware = compression({
  threshold: COMPRESSED_FROM_BYTES,
  level: 3,
  brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } },
});

/**
 * Compresses what is written to `res` with brotli or gzip, as the client accepts. Event streams set `no-transform` and are
 * left uncompressed, because their small messages must not be delayed.
 */
export function compress(req: IncomingMessage, res: ServerResponse): void {
  middleware(req as never, res as never, () => {});
}
