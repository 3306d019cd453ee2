import type { IncomingMessage } from 'node:http';

/** A request's body is larger than what is taken of it. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

/**
 * The whole body of a request, or nothing: no more than the limit is ever held. What comes beyond is read and dropped, so
 * that the client hears the answer.
 * @throws BodyTooLargeError
 */
export function readBody(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let pieces: Buffer[] = [];
    let bytes = 0;
    const refuse = () => {
      pieces = [];
      reject(new BodyTooLargeError(`more than ${maxBytes} bytes`));
    };
    if (Number(req.headers['content-length'] ?? 0) > maxBytes) refuse();
    req.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > maxBytes) refuse();
      else pieces.push(piece);
    });
    req.once('end', () => resolve(Buffer.concat(pieces)));
    req.once('error', reject);
    req.once('close', () => reject(new Error('the client left')));
  });
}
