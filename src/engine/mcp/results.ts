import { z } from 'zod';
import { storable } from './text.ts';

/**
 * A tool's answer as far as it is looked at. Laxer than the protocol's own schema on purpose: one content block of a
 * kind unknown here must not cost the rest of the answer.
 */
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

/**
 * The answer as text for the model: text blocks one after the other, structured content as JSON when there is no text,
 * and what is no text (images, audio, files) named instead of dropped silently.
 */
export function resultText(result: RawToolResult): string {
  const parts = (result.content ?? []).map(blockText);
  const hasText = parts.some((part) => part.isText && part.text !== '');
  const texts = parts.map((part) => part.text).filter((text) => text !== '');
  if (!hasText && result.structuredContent !== undefined && result.structuredContent !== null) {
    texts.push(jsonText(result.structuredContent));
  }
  return storable(texts.length > 0 ? texts.join('\n') : '(the tool returned nothing)');
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
  if (!parsed.success) return { text: '[content of an unknown form]', isText: false };
  const { type, text, data, mimeType, uri, name, resource } = parsed.data;
  switch (type) {
    case 'text':
      return { text: text ?? '', isText: true };
    case 'image':
    case 'audio':
      return {
        text: `[${type} ${mimeType ?? 'of unknown type'}, ${base64Bytes(data ?? '')} bytes]`,
        isText: false,
      };
    case 'resource_link':
      return { text: `[resource ${name ?? ''} ${uri ?? ''}]`, isText: false };
    case 'resource':
      if (resource?.text !== undefined)
        return { text: `[resource ${resource.uri ?? ''}]\n${resource.text}`, isText: true };
      return { text: `[resource ${resource?.uri ?? ''} ${resource?.mimeType ?? ''}]`, isText: false };
    default:
      return { text: `[content of type ${type.slice(0, 64)}]`, isText: false };
  }
}

function base64Bytes(data: string): number {
  return Math.floor((data.replace(/=+$/, '').length * 3) / 4);
}
