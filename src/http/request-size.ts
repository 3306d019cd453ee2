import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { MAX_REQUEST_TEXT_BYTES } from './tunables.ts';

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
 * Refuses bodies with too much text. How a client escapes its text does not count: the raw size has a limit of its own,
 * which has room for every escape.
 */
export function limitRequestText(): Plugin {
  return {
    onRequestParse({ request, requestParser, setRequestParser, fetchAPI }) {
      const length = Number(request.headers.get('content-length') ?? Number.POSITIVE_INFINITY);
      if (!requestParser || request.method !== 'POST' || length <= MAX_REQUEST_TEXT_BYTES) return;
      setRequestParser(async (large) => {
        const body = await large.text();
        if (hasTooMuchText(body)) throw tooLarge();
        return requestParser(
          new fetchAPI.Request(large.url, { method: 'POST', headers: large.headers, body }),
        );
      });
    },
  };
}

function tooLarge(): GraphQLError {
  const message = `The request has more than ${MAX_REQUEST_TEXT_BYTES} bytes of text.`;
  return new GraphQLError(message, {
    extensions: { code: 'REQUEST_ENTITY_TOO_LARGE', http: { status: 413 } },
  });
}
