import type { Delivery } from '../delivery.ts';
import { decodeUtf8, type JsonReader, jsonReader, readJson } from '../json-reader.ts';

/** Reads a body as JSON. A form becomes a mapping, and plain text a mapping with the member `text`. */
export function readBody(delivery: Delivery): JsonReader {
  const type = delivery.headers['content-type'] ?? '';
  if (/^application\/x-www-form-urlencoded/i.test(type)) return readForm(delivery);
  if (!/^text\/plain/i.test(type)) return readJson(delivery);
  const text = decodeUtf8(delivery.body);
  return /^\s*[[{]/.test(text) ? readJson(delivery) : jsonReader({ text });
}

/** Reads a form as a mapping. JSON that is sent with the type of a form, as curl does by default, is read as JSON. */
function readForm(delivery: Delivery): JsonReader {
  const text = decodeUtf8(delivery.body);
  if (/^\s*[[{]/.test(text)) return readJson(delivery);
  return jsonReader(Object.fromEntries(new URLSearchParams(text)));
}
