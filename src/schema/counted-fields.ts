import {
  defaultFieldResolver,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
} from 'graphql';
import type { Context } from './context.ts';
import { fieldTooLarge } from './errors.ts';
import { countSelected } from './selected-fields.ts';

/** Bytes of one field's value as JSON. An alert of 1 MiB has at most 6 MiB, each character escaped. */
const MAX_FIELD_BYTES = 8 * 1024 * 1024;

/** What a field costs besides its name and value: quotes, colon and comma, and its place in memory. */
const FIELD_BYTES = 48;

/**
 * What a field of a list's item takes in memory until it is sent. Set aside before the list is gone through: each of its
 * fields would wait for room by itself otherwise, which takes more memory than the fields.
 */
const FIELD_MEMORY_BYTES = 64;

/** Strings up to this length are counted by their length: to look at each would take longer than to send it. */
const SHORT_LENGTH = 256;

/** Has every field of the schema counted for its answer before it becomes part of it; the same object. */
export function countFields(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    if (type === schema.getSubscriptionType()) continue; // of an event: its fields count
    for (const field of Object.values(type.getFields())) {
      const size = isLeafType(getNamedType(field.type)) ? sizeOf : () => 0;
      field.resolve = counted(field.resolve ?? defaultFieldResolver, size);
    }
  }
  return schema;
}

type Resolver = GraphQLFieldResolver<unknown, Context>;

function counted(resolve: Resolver, size: (value: unknown) => number): Resolver {
  const count = (value: unknown, { answer }: Context, info: GraphQLResolveInfo): unknown => {
    if (answer.error !== null) throw answer.error; // before it is measured: that takes time
    const bytes = size(value);
    if (bytes > MAX_FIELD_BYTES) throw fieldTooLarge(info.fieldName, MAX_FIELD_BYTES);
    const said = answer.write(FIELD_BYTES + String(info.path.key).length + bytes);
    const room = Array.isArray(value)
      ? (answer.reserve(value.length * countSelected(info) * FIELD_MEMORY_BYTES) ?? said)
      : said;
    return room === undefined ? value : room.then(() => value);
  };
  return (source, args, context, info) => {
    if (context.answer.error !== null) throw context.answer.error;
    const value = resolve(source, args, context, info);
    return value instanceof Promise
      ? value.then((settled: unknown) => count(settled, context, info))
      : count(value, context, info);
  };
}

/** Characters that are encoded at once, each to at most three bytes. */
const PIECE_LENGTH = 16 * 1024;
const piece = new Uint8Array(3 * PIECE_LENGTH);
const encoder = new TextEncoder();

/** Bytes that JSON has more for a byte of a text: a backslash, or a backslash and five. */
const ESCAPE_BYTES = new Uint8Array(256).fill(5, 0, 0x20);
ESCAPE_BYTES[0x22] = 1; // "
ESCAPE_BYTES[0x5c] = 1; // \

/** What was measured last: who asks for a text by many names asks for them one after the other. */
let last = { text: '', bytes: 0 };

/**
 * Bytes of a text as JSON. Counted piece by piece: to write a MiB only to measure it makes it twice, and to ask a string
 * for each of its characters takes ten times as long.
 */
function sizeOfText(text: string): number {
  if (text === last.text) return last.bytes;
  let bytes = 0;
  for (let start = 0; start < text.length; start += PIECE_LENGTH) {
    const { written } = encoder.encodeInto(text.slice(start, start + PIECE_LENGTH), piece);
    bytes += written;
    for (let place = 0; place < written; place += 1) bytes += ESCAPE_BYTES[piece[place]!]!;
  }
  last = { text, bytes };
  return bytes;
}

/** Bytes of a value as JSON, line breaks and tabs counted as if they were escaped like rarer characters. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length < SHORT_LENGTH ? value.length : sizeOfText(value);
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + 3 + sizeOf(item), 2);
  if (typeof value !== 'object' || value === null) return 8;
  return value instanceof Date ? 26 : Buffer.byteLength(JSON.stringify(value));
}
