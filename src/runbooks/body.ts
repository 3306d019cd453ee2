import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { RunbookError } from './errors.ts';

/**
 * Matches content types of text other than HTML, and no type at all, because servers of source code often send none.
 */
const TEXT_TYPE = /^(?:text\/(?!html\b)|application\/(?:json|yaml|x-yaml|octet-stream|vnd\.github)|$)/;

/** Reads the text of a response; aborts as soon as the decompressed body exceeds `maxBytes`. @throws RunbookError */
export async function readTextBody(
  body: Readable,
  headers: IncomingHttpHeaders,
  maxBytes: number,
): Promise<string> {
  const header = (name: string) =>
    String(headers[name] ?? '')
      .trim()
      .toLowerCase();
  const type = header('content-type');
  if (!TEXT_TYPE.test(type)) {
    const name = type.replace(/[^a-z0-9/+.-].*$/, '').slice(0, 60);
    throw new RunbookError('NOT_TEXT', `it is ${name}, not text`);
  }
  const text = decode(await decompress(body, header('content-encoding') || 'identity', maxBytes));
  if (text.includes('\0')) throw new RunbookError('NOT_TEXT', 'it is no text');
  return text;
}

async function decompress(body: Readable, encoding: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) {
      size += chunk.length;
      if (size > maxBytes)
        throw new RunbookError('TOO_LARGE', `it is larger than ${Math.floor(maxBytes / 1024)} KiB`);
      chunks.push(chunk);
    }
  };
  if (encoding === 'gzip') await pipeline(body, createGunzip(), collect);
  else if (encoding === 'identity') await pipeline(body, collect);
  else throw new RunbookError('NOT_TEXT', 'its content encoding is not supported');
  return Buffer.concat(chunks);
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new RunbookError('NOT_TEXT', 'it is not text in UTF-8');
  }
}
