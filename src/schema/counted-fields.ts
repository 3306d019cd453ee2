import {
  defaultFieldResolver,
  type FieldNode,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { Context } from './context.ts';
import { fieldTooLarge } from './errors.ts';

/** Largest JSON size of one field, in bytes. An alert of 1 MiB needs at most 6 MiB if each character is escaped. */
const MAX_FIELD_BYTES = 8 * 1024 * 1024;

/** Bytes counted per field in addition to its name and value: quotes, colon, comma and memory. */
const FIELD_BYTES = 48;

/** Memory (bytes) of one field of one list item, reserved for the whole list before its items are resolved. */
const FIELD_MEMORY_BYTES = 64;

/** Strings shorter than this count by their length, because measuring them takes longer than sending them. */
const SHORT_LENGTH = 256;

/** Makes every field of the schema count its size before it joins the response. Returns the same schema object. */
export function countFields(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    if (type === schema.getSubscriptionType()) continue; // the fields of each event are counted instead
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
    if (answer.error !== null) throw answer.error; // before measuring, which takes time
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

/** Characters per encoding step; each becomes at most three bytes. */
const PIECE_LENGTH = 16 * 1024;
const piece = new Uint8Array(3 * PIECE_LENGTH);
const encoder = new TextEncoder();

/** Extra JSON bytes for each byte of text: 1 if a backslash precedes it, 5 for a form such as `\u0000`. */
const ESCAPE_BYTES = new Uint8Array(256).fill(5, 0, 0x20);
ESCAPE_BYTES[0x22] = 1; // "
ESCAPE_BYTES[0x5c] = 1; // \

/** Cache of the last measured text, because one field under many aliases yields the same text repeatedly. */
let last = { text: '', bytes: 0 };

/** Returns the JSON size of a text in bytes. Measures in pieces, because a loop over characters is ten times slower. */
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

/** Returns the approximate JSON size of a value (bytes). Each control character counts 6 bytes, also line breaks. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length < SHORT_LENGTH ? value.length : sizeOfText(value);
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + 3 + sizeOf(item), 2);
  if (typeof value !== 'object' || value === null) return 8;
  return value instanceof Date ? 26 : Buffer.byteLength(JSON.stringify(value));
}

type Fragments = GraphQLResolveInfo['fragments'];

/** Cached results of `countOf`, because documents are cached and nested lists need the same count repeatedly. */
const counts = new WeakMap<FieldNode, number>();

/** Returns the number of fields selected on one item of this field, nested selections and fragments included. */
function countSelected({ fieldNodes, fragments }: GraphQLResolveInfo): number {
  return fieldNodes.reduce((sum, node) => sum + countOf(node, fragments), 0);
}

function countOf(node: FieldNode, fragments: Fragments): number {
  const known = counts.get(node);
  if (known !== undefined) return known;
  const count = node.selectionSet ? countIn(node.selectionSet, fragments) : 0;
  counts.set(node, count);
  return count;
}

function countIn({ selections }: SelectionSetNode, fragments: Fragments): number {
  let count = 0;
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) count += 1 + countOf(selection, fragments);
    else if (selection.kind === Kind.INLINE_FRAGMENT) count += countIn(selection.selectionSet, fragments);
    else count += countIn(fragments[selection.name.value]!.selectionSet, fragments);
  }
  return count;
}
