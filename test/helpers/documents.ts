import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';

/** An id of nothing. */
export const NOTHING = '00000000-0000-7000-8000-000000000000';

/** The smallest document that asks for a root field, with some value for whatever it needs. */
export function documentFor(kind: string, field: GraphQLField<unknown, unknown>): string {
  const needed = field.args.filter(({ type }: GraphQLArgument) => isNonNullType(type));
  const given = needed.map(({ name, type }) => `${name}: ${literalOf(type)}`).join(', ');
  const selection = isLeafType(getNamedType(field.type)) ? '' : '{ __typename }';
  return `${kind} { ${field.name}${given && `(${given})`} ${selection} }`;
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
    ID: `"${NOTHING}"`,
    DateTime: '"2100-01-01T00:00:00Z"',
    Int: '1',
    Boolean: 'true',
  };
  return literals[type.name] ?? '"a=b"';
}
