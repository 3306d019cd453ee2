import type { Delivery } from '../delivery.ts';
import { decodeUtf8, type JsonReader, jsonReader, parseJson, readJson } from '../json-reader.ts';

/** The beginning of a JSON mapping or a list of mappings. A text may begin with a bracket, as in `[RESOLVED] Disk full`. */
const JSON_START = /^\s*(?:\{|\[\s*[{\]])/;

/**
 * Reads a body as JSON. A form becomes a mapping, and plain text a mapping with the member `text`. JSON that is sent
 * with another type is read as JSON, because curl sends everything as a form by default.
 */
export function readBody(delivery: Delivery): JsonReader {
  const type = delivery.headers['content-type'] ?? '';
  const isForm = /^application\/x-www-form-urlencoded/i.test(type);
  if (!isForm && !/^text\/plain/i.test(type)) return readJson(delivery);
  const text = decodeUtf8(delivery.body);
  if (JSON_START.test(text)) return readJson(delivery);
  return isForm ? readForm(text) : jsonReader({ text });
}

/** Reads a form as a mapping, or the JSON in its only field `payload`. Without a `=`, the form is a text. */
function readForm(written: string): JsonReader {
  const form = new URLSearchParams(written);
  const payload = form.size === 1 ? (form.get('payload') ?? '') : '';
  if (JSON_START.test(payload)) return jsonReader(parseJson(payload, '$.payload'), '$.payload');
  return jsonReader(written.includes('=') ? Object.fromEntries(form) : { text: [...form.keys()].join('&') });
}
