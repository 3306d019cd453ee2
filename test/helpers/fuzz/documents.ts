import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { schema } from '../../../src/schema/index.ts';
import { mangled, oddText, oddValue, type Random } from './random.ts';

/** A GraphQL request as clients send it, usually with some error. */
export interface OddRequest {
  query: unknown;
  variables?: unknown;
  operationName?: unknown;
}

/**
 * Builds an odd request. `ids` are ids of existing rows, so that requests do more than look up unknown ids.
 */
export function oddRequest(random: Random, ids: readonly string[]): OddRequest {
  const query = oddDocument(random, ids);
  return {
    query: random.once(30) ? oddValue(random) : random.once(8) ? mangled(random, query) : query,
    ...(random.once(3) && { variables: oddVariables(random, ids) }),
    ...(random.once(10) && { operationName: random.pick(['q', '', null, 1, oddText(random)]) }),
  };
}

const VARIABLE_TYPES = [
  'ID!',
  'ID',
  'Int',
  'String',
  'SubmitAlertInput!',
  'SessionFilter',
  'SessionOrder',
  'Nothing',
];

function oddVariables(random: Random, ids: readonly string[]): unknown {
  if (random.once(10)) return oddValue(random);
  return { a: random.once(2) ? random.pick(ids) : oddValue(random), b: oddValue(random) };
}

function oddDocument(random: Random, ids: readonly string[]): string {
  const kind = random.pick(['query', 'query', 'query', 'mutation', 'subscription'] as const);
  const root = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' }[kind];
  const variables = random.once(3)
    ? `q($a: ${random.pick(VARIABLE_TYPES)}${random.once(4) ? ` = ${JSON.stringify(oddValue(random))}` : ''}, $b: ${random.pick(VARIABLE_TYPES)})`
    : '';
  return `${kind} ${variables} ${selections(random, root, ids, 1 + random.int(6))}`;
}

function selections(random: Random, typeName: string, ids: readonly string[], depth: number): string {
  const type = schema.getType(typeName);
  if (isUnionType(type) || (isInterfaceType(type) && random.once(2))) {
    const member = random.pick(schema.getPossibleTypes(type));
    return `{ __typename ... on ${member.name} ${selections(random, member.name, ids, depth)} }`;
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return '';
  const fields = Object.values(type.getFields());
  const count = typeName === 'Subscription' ? 1 : 1 + random.int(5);
  const chosen = Array.from({ length: count }, () => selection(random, random.pick(fields), ids, depth));
  return `{ ${chosen.join(' ')} }`;
}

function selection(
  random: Random,
  field: GraphQLField<unknown, unknown>,
  ids: readonly string[],
  depth: number,
): string {
  if (random.once(200)) return oddText(random);
  const given = field.args.filter(({ type }) => isGiven(random, type));
  const args = given.map((arg) => `${arg.name}: ${argument(random, arg.type, ids)}`);
  const alias = random.once(8) ? `x${random.int(3)}: ` : '';
  const directive = random.once(15)
    ? random.pick([' @include(if: true)', ' @skip(if: $b)', ' @defer', ' @nothing'])
    : '';
  const call = args.length > 0 ? `(${args.join(', ')})` : '';
  return `${alias}${field.name}${call}${directive} ${inner(random, field.type, ids, depth)}`;
}

function inner(random: Random, type: GraphQLOutputType, ids: readonly string[], depth: number): string {
  const named = getNamedType(type);
  if (!isCompositeType(named) || random.once(40)) return random.once(60) ? '{ __typename }' : '';
  return depth > 0 ? selections(random, named.name, ids, depth - 1) : '{ __typename }';
}

function argument(random: Random, type: GraphQLInputType, ids: readonly string[]): string {
  if (random.once(30)) return literal(oddValue(random));
  if (random.once(20)) return random.pick(['$a', '$b', '$none']);
  const inside = getNullableType(type);
  if (isListType(inside)) return `[${random.list(4, () => argument(random, inside.ofType, ids)).join(', ')}]`;
  const named = getNamedType(type);
  if (isEnumType(named)) return random.pick(named.getValues()).name;
  if (isInputObjectType(named)) {
    const fields = Object.values(named.getFields()).filter(({ type }) => isGiven(random, type));
    return `{ ${fields.map((field) => `${field.name}: ${argument(random, field.type, ids)}`).join(', ')} }`;
  }
  if (named.name === 'ID') return JSON.stringify(random.once(3) ? oddText(random) : random.pick(ids));
  if (named.name === 'Int') return String(random.pick([-1, 0, 1, 2, 50, 100, 101, 2 ** 31 - 1, 2 ** 31]));
  if (named.name === 'Boolean') return String(random.once(2));
  return JSON.stringify(oddText(random));
}

/** Rarely omits a required value because the server would stop validating there. */
function isGiven(random: Random, type: GraphQLInputType): boolean {
  return isNonNullType(type) ? !random.once(20) : random.once(2);
}

/** Renders a JSON value as a GraphQL literal, with unquoted keys. */
function literal(value: unknown): string {
  return JSON.stringify(value).replace(/"([A-Za-z_]\w*)":/g, '$1:');
}
