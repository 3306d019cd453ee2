import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { toStorable } from '../common/storable.ts';
import { blockText, jsonText } from './content-block.ts';
import { ownResult } from './wire-message.ts';

/**
 * The members of a tool's answer that this client reads. Accepts more types than the protocol, so that nothing is lost.
 */
export interface RawToolResult {
  content: readonly unknown[];
  structuredContent: unknown;
  isError: boolean;
}

export const rawToolResult = z.looseObject({}).transform((result) => readToolResult(ownResult(result)));

/**
 * Reads a result of any form. Null is absent. Content may be one block or a text. Other members are structured content.
 */
export function readToolResult(result: unknown): RawToolResult {
  if (typeof result !== 'object' || result === null || Array.isArray(result))
    return { content: listOf(result), structuredContent: null, isError: false };
  const { content, structuredContent, isError, _meta, resultType, ...others } = result as Record<
    string,
    unknown
  >;
  const said = (content ?? structuredContent ?? null) !== null;
  const rest = Object.keys(others).length === 0 ? null : others;
  return {
    content: listOf(content),
    structuredContent: said ? (structuredContent ?? null) : rest,
    isError: isError === true || isError === 'true',
  };
}

function listOf(content: unknown): readonly unknown[] {
  if (content === undefined || content === null) return [];
  return Array.isArray(content) ? content : [content];
}

/** Returns the answer as text for the model. Describes images, audio and files; drops repeated structured content. */
export function resultText({ content, structuredContent: structured }: RawToolResult): string {
  const parts = content.map(blockText);
  const plain = parts.filter((part) => part.isText && part.text !== '').map((part) => part.text);
  const texts = parts.map((part) => part.text).filter((text) => text !== '');
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
