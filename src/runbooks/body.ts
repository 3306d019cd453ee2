import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { RunbookError } from './errors.ts';

/**
 * Matches content types of text other than HTML, and no type at all, because servers of source code often send none.
 */
const TEXT_TYPE = /^(?:text\/(?!html\b)|application\/(?:json|yaml|x-yaml|octet-stream|vnd\.github)|$)/;
const HTML_TYPE = /^(?:text\/html|application\/xhtml\+xml)\b/;

/** Maximum size of a page (bytes), which can be many times that of its text. */
export const HTML_MAX_BYTES = 5 * 1024 * 1024;

/** Start of a page (bytes) that may name its character encoding, by the HTML standard. */
const ENCODING_WITHIN_BYTES = 1024;

/**
 * Reads the text of a response, of a page the text of its main part. Aborts as soon as the decompressed body exceeds
 * `maxBytes`, or HTML_MAX_BYTES for a page. @throws RunbookError
 */
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
  const isHtml = HTML_TYPE.test(type);
  if (!isHtml && !TEXT_TYPE.test(type)) {
    const name = type.replace(/[^a-z0-9/+.-].*$/, '').slice(0, 60);
    throw new RunbookError('NOT_TEXT', `it is ${name}, not text`);
  }
  const encoding = header('content-encoding') || 'identity';
  const bytes = await decompress(body, encoding, isHtml ? HTML_MAX_BYTES : maxBytes);
  const decoded = decode(bytes, encodingOf(type, isHtml ? bytes : null));
  if (!isHtml) return withoutNul(decoded);
  // Loaded on demand, because most runbooks are no pages.
  const { htmlToText } = await import('./html-text.ts');
  const text = withoutNul(htmlToText(decoded));
  if (Buffer.byteLength(text) > maxBytes) throw tooLarge(maxBytes);
  return text;
}

function withoutNul(text: string): string {
  if (text.includes('\0')) throw new RunbookError('NOT_TEXT', 'it is no text');
  return text;
}

function tooLarge(maxBytes: number): RunbookError {
  return new RunbookError('TOO_LARGE', `it is larger than ${Math.floor(maxBytes / 1024)} KiB`);
}

/** Returns the character encoding that the content type names, or else the page. @default utf-8 */
function encodingOf(type: string, page: Buffer | null): string {
  const start = page?.subarray(0, ENCODING_WITHIN_BYTES).toString('latin1') ?? '';
  const named =
    /charset\s*=\s*["']?([\w.:-]+)/.exec(type) ??
    /<meta[^>]{0,200}charset\s*=\s*["']?([\w.:-]+)/i.exec(start);
  return named?.[1] ?? 'utf-8';
}

async function decompress(body: Readable, encoding: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(chunk);
    }
  };
  if (encoding === 'gzip') await pipeline(body, createGunzip(), collect);
  else if (encoding === 'identity') await pipeline(body, collect);
  else throw new RunbookError('NOT_TEXT', 'its content encoding is not supported');
  return Buffer.concat(chunks);
}

function decode(bytes: Buffer, encoding: string): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new RunbookError('NOT_TEXT', `it is not text in ${encoding.slice(0, 40).toUpperCase()}`);
  }
}
