import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { MAX_REQUEST_BYTES, MAX_REQUEST_TEXT_BYTES } from './tunables.ts';

const U = 'u'.charCodeAt(0);

/** Bytes of a JSON text in UTF-8, each escape in it counted as what it stands for. */
export function textBytesOf(json: string): number {
  let bytes = Buffer.byteLength(json);
  for (let at = json.indexOf('\\'); at >= 0; at = json.indexOf('\\', at + 2)) {
    bytes -= json.charCodeAt(at + 1) === U ? 6 - bytesOfUnit(json.slice(at + 2, at + 6)) : 1;
  }
  return bytes;
}

function bytesOfUnit(hex: string): number {
  const unit = Number.parseInt(hex, 16);
  if (unit < 0x80) return 1;
  return unit < 0x800 ? 2 : 3;
}

/** Whether a request, or message, is too large by its text; those that are small as they are cost nothing. */
export function hasTooMuchText(json: string): boolean {
  return json.length > MAX_REQUEST_TEXT_BYTES / 3 && textBytesOf(json) > MAX_REQUEST_TEXT_BYTES;
}

/**
 * Refuses bodies that are too large, or have too much text. How a client escapes its text does not count: the raw size has a
 * limit of its own, which has room for every escape. Bodies that say that they are small are read as they come: no more
 * of them is taken than they say.
 */
export function limitRequests(): Plugin {
  return {
    onRequestParse({ request, requestParser, setRequestParser, fetchAPI }) {
      const length = Number(request.headers.get('content-length') ?? Number.POSITIVE_INFINITY);
      if (!requestParser || request.method !== 'POST' || length <= MAX_REQUEST_TEXT_BYTES) return;
      if (length > MAX_REQUEST_BYTES && length < Number.POSITIVE_INFINITY) throw tooLarge(MAX_REQUEST_BYTES);
      setRequestParser(async (large) => {
        const body = await readWithin(large.body, MAX_REQUEST_BYTES);
        if (hasTooMuchText(body)) throw tooLarge(MAX_REQUEST_TEXT_BYTES, ' of text');
        return requestParser(
          new fetchAPI.Request(large.url, { method: 'POST', headers: large.headers, body }),
        );
      });
    },
  };
}

/** A body that is too large is not broken off, which would be the connection's end: its sender shall hear why. */
async function readWithin(body: ReadableStream<Uint8Array> | null, limit: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  const reader = body?.getReader();
  for (let bytes = 0; ; ) {
    const { value } = (await reader?.read()) ?? {};
    if (!value) return new TextDecoder().decode(Buffer.concat(pieces));
    bytes += value.byteLength;
    if (bytes > limit) throw tooLarge(limit);
    pieces.push(value);
  }
}

function tooLarge(limit: number, of = ''): GraphQLError {
  const message = `The request has more than ${limit} bytes${of}.`;
  return new GraphQLError(message, {
    extensions: { code: 'REQUEST_ENTITY_TOO_LARGE', http: { status: 413 } },
  });
}
