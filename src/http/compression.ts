import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants } from 'node:zlib';
import compression from 'compression';
import { COMPRESSED_FROM_BYTES } from './tunables.ts';

const middleware = compression({
  threshold: COMPRESSED_FROM_BYTES,
  level: 3,
  brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } },
});

/** Compresses a response with brotli or gzip. Event streams set `no-transform`, because they must not be delayed. */
export function compress(req: IncomingMessage, res: ServerResponse): void {
  middleware(req as never, res as never, () => {});
}
