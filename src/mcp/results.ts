import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { toStorable } from '../common/storable.ts';

/** A tool's answer. Laxer than the protocol's schema, because one unknown content block must not hide the others. */
export const rawToolResult = z.looseObject({
  content: z.array(z.unknown()).optional(),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});
export type RawToolResult = z.output<typeof rawToolResult>;

const block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  data: z.string().optional(),
  mimeType: z.string().optional(),
  uri: z.string().optional(),
  name: z.string().optional(),
  resource: z
    .looseObject({ uri: z.string().optional(), mimeType: z.string().optional(), text: z.string().optional() })
    .optional(),
});

/** Returns the answer as text for the model. Describes images, audio and files; drops repeated structured content. */
export function resultText(result: RawToolResult): string {
  const parts = (result.content ?? []).map(blockText);
  const plain = parts.filter((part) => part.isText && part.text !== '').map((part) => part.text);
  const texts = parts.map((part) => part.text).filter((text) => text !== '');
  const structured = result.structuredContent ?? null;
  if (structured !== null && !repeats(plain, structured)) {
    texts.push((plain.length > 0 ? 'Structured content:\n' : '') + jsonText(structured));
  }
  return toStorable(texts.length > 0 ? texts.join('\n') : '(the tool returned nothing)');
}

/**
 * True if the text blocks repeat the structured content, as the protocol asks for the sake of older clients. They may
 * have its JSON, the single value that a server's library wrapped into an object, or that value's items.
 */
function repeats(texts: readonly string[], structured: unknown): boolean {
  const whole = texts.join('\n');
  try {
    const values = [structured, ...onlyValue(structured)];
    return values.some(
      (value) =>
        (typeof value === 'object' ? false : String(value) === whole) ||
        isDeepStrictEqual(parsed(whole), value) ||
        (Array.isArray(value) && isDeepStrictEqual(texts.map(parsed), value)),
    );
  } catch {
    return false; // nested too deeply to be compared
  }
}

function onlyValue(value: unknown): unknown[] {
  const values = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return values.length === 1 ? values : [];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2);
  } catch {
    return '[structured content nested too deeply to be shown]';
  }
}

function blockText(raw: unknown): { text: string; isText: boolean } {
  const parsed = block.safeParse(raw);
  if (!parsed.success) return note('content of an unknown form');
  const { type, text, data, mimeType, uri, name, resource } = parsed.data;
  switch (type) {
    case 'text':
      return { text: text ?? '', isText: true };
    case 'image':
    case 'audio':
      return note(
        `${type} ${mimeType ?? 'of unknown type'}, ${Buffer.byteLength(data ?? '', 'base64')} bytes`,
      );
    case 'resource_link':
      return note(`resource ${name ?? ''} ${uri ?? ''}`);
    case 'resource':
      if (resource?.text !== undefined)
        return { text: `[resource ${resource.uri ?? ''}]\n${resource.text}`, isText: true };
      return note(`resource ${resource?.uri ?? ''} ${resource?.mimeType ?? ''}`);
    default:
      return note(`content of type ${type.slice(0, 64)}`);
  }
}

const note = (text: string) => ({ text: `[${text}]`, isText: false });
