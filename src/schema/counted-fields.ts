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

/** Bytes of one field's value as JSON. An alert of 1 MiB has at most 6 MiB, each character escaped. */
const MAX_FIELD_BYTES = 8 * 1024 * 1024;

/** What a field costs besides its name and value: quotes, colon and comma, and its place in memory. */
const FIELD_BYTES = 16;

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
    const bytes = size(value);
    if (bytes > MAX_FIELD_BYTES) throw fieldTooLarge(info.fieldName, MAX_FIELD_BYTES);
    const room = answer.write(FIELD_BYTES + String(info.path.key).length + bytes);
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

/** Bytes by which JSON is longer than a text. Counted by looking: to write a MiB only to measure it makes it twice. */
function escapesOf(text: string): number {
  let bytes = 0;
  for (let place = 0; place < text.length; place += 1) {
    const unit = text.charCodeAt(place);
    if (unit === QUOTE || unit === BACKSLASH) bytes += 1;
    else if (unit < SPACE) bytes += 5;
  }
  return bytes;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/** Bytes of a value as JSON, line breaks and tabs counted as if they were escaped like rarer characters. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string')
    return value.length < SHORT_LENGTH ? value.length : Buffer.byteLength(value) + escapesOf(value);
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + 3 + sizeOf(item), 2);
  if (typeof value !== 'object' || value === null) return 8;
  return value instanceof Date ? 26 : Buffer.byteLength(JSON.stringify(value));
}
