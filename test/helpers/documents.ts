import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
} from 'graphql';
import type { FieldCost } from '../../src/schema/query-cost.ts';

/** The id of a row that does not exist. */
export const UNKNOWN_ID = '00000000-0000-7000-8000-000000000000';

/** Builds the smallest document for a root field, with some value for each required argument. */
export function documentFor(kind: string, field: GraphQLField<unknown, unknown>): string {
  const needed = field.args.filter(({ type }: GraphQLArgument) => isNonNullType(type));
  const given = needed.map(({ name, type }) => `${name}: ${literalOf(type)}`).join(', ');
  const selection = isLeafType(getNamedType(field.type)) ? '' : '{ __typename }';
  return `${kind} { ${field.name}${given && `(${given})`} ${selection} }`;
}

/** Levels of nested objects to select: a page, its items, and the objects of the items. */
const DEPTH = 3;

/** A field of at least this cost is selected on single objects, but not on items of lists. */
const COSTLY = 100;

/** Builds a document that selects everything a root field offers, to a fixed depth, in pages of ten. */
export function deepDocumentFor(kind: string, field: GraphQLField<unknown, unknown>): string {
  return `${kind} { ${withAll(field, DEPTH)} }`;
}

function withAll(field: GraphQLField<unknown, unknown>, depth: number): string {
  const given = field.args
    .filter(({ name, type }) => isNonNullType(type) || name === 'first')
    .map(({ name, type }) => `${name}: ${name === 'first' ? '10' : literalOf(type)}`);
  const args = given.length === 0 ? '' : `(${given.join(', ')})`;
  return `${field.name}${args} ${selectionOf(getNamedType(field.type), depth)}`;
}

function selectionOf(type: GraphQLNamedType, depth: number): string {
  if (isLeafType(type)) return '';
  if (!isObjectType(type)) return '{ __typename }';
  const fields = Object.values(type.getFields())
    .filter(({ extensions }) => depth === DEPTH || !(ownCost(extensions) >= COSTLY))
    .filter(({ type: of }) => isLeafType(getNamedType(of)) || (depth > 1 && isObjectType(getNamedType(of))));
  return `{ ${['__typename', ...fields.map((field) => withAll(field, depth - 1))].join(' ')} }`;
}

/** Returns the cost that a field itself declares; 0 if it declares none or computes it. */
function ownCost({ queryCost }: GraphQLField<unknown, unknown>['extensions']): number {
  const { own } = (queryCost ?? {}) as FieldCost;
  return typeof own === 'number' ? own : 0;
}

function literalOf(type: GraphQLInputType): string {
  if (isNonNullType(type)) return literalOf(type.ofType);
  if (isListType(type)) return `[${literalOf(type.ofType)}]`;
  if (isEnumType(type)) return type.getValues()[0]!.name;
  if (isInputObjectType(type)) {
    const needed = Object.values(type.getFields()).filter(isRequiredInputField);
    return `{ ${needed.map((field) => `${field.name}: ${literalOf(field.type)}`).join(', ')} }`;
  }
  const literals: Record<string, string> = {
    ID: `"${UNKNOWN_ID}"`,
    DateTime: '"2100-01-01T00:00:00Z"',
    Int: '1',
    Boolean: 'true',
  };
  return literals[type.name] ?? '"a=b"';
}
