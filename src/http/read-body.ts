import type { IncomingMessage } from 'node:http';

export class BodyRefusedError extends Error {
  override readonly name = 'BodyRefusedError';
  readonly why: 'TOO_LARGE' | 'TOO_SLOW' | 'TOO_MANY';
  constructor(why: BodyRefusedError['why']) {
    super(`request body refused: ${why}`);
    this.why = why;
  }
}

interface BodyLimits {
  maxBytes: number;
  maxHeldBytes: number;
  maxMs: number;
}

/**
 * Returns a function that reads a whole body. Past a limit, it rejects but keeps receiving, so that clients read the
 * answer.
 * @throws BodyRefusedError
 */
export function createBodyReader({ maxBytes, maxHeldBytes, maxMs }: BodyLimits) {
  let held = 0;
  return (req: IncomingMessage): Promise<Buffer> =>
    new Promise<Buffer>((resolve, reject) => {
      let pieces: Buffer[] | null = [];
      let bytes = 0;
      const release = () => {
        clearTimeout(timer);
        if (pieces !== null) held -= bytes;
        pieces = null;
      };
      const refuse = (why: BodyRefusedError['why']) => {
        release();
        reject(new BodyRefusedError(why));
      };
      const timer = setTimeout(refuse, maxMs, 'TOO_SLOW');
      if (Number(req.headers['content-length'] ?? 0) > maxBytes) refuse('TOO_LARGE');
      req.on('data', (piece: Buffer) => {
        if (pieces === null) return;
        if (bytes + piece.length > maxBytes) return refuse('TOO_LARGE');
        if (held + piece.length > maxHeldBytes) return refuse('TOO_MANY');
        bytes += piece.length;
        held += piece.length;
        pieces.push(piece);
      });
      req.once('end', () => {
        const whole = Buffer.concat(pieces ?? []);
        release();
        resolve(whole);
      });
      req.once('error', (error) => {
        release();
        reject(error);
      });
      req.once('close', () => {
        release();
        reject(new Error('the client disconnected'));
      });
    });
}
