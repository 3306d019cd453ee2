import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';
import type { FieldCost } from '../schema/query-cost.ts';

/** List length (objects) assumed for list fields that declare none. */
const DEFAULT_LIST_LENGTH = 10;

const PAGE_SIZE = 25;
const MAX_PAGE_SIZE = 100;

export interface Weight {
  /** The estimated maximum number of objects in the answer. */
  readonly cost: number;
  readonly depth: number;
  readonly width: number;
}

export interface WeighedOperation {
  readonly schema: GraphQLSchema;
  /** A validated document: fragment cycles, which validation refuses, would recurse forever. */
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Estimates the cost of an operation before it runs. Each fragment is weighed once, however often it is spread. */
export function weigh({ schema, document, operation, variables }: WeighedOperation): Weight {
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
    ),
  );
  const known = new Map<string, Weight>();
  const values = withDefaults(operation, variables);

  const ofFragment = (name: string): Weight => {
    const fragment = fragments.get(name);
    if (fragment === undefined) return NOTHING;
    const found =
      known.get(name) ?? ofSelections(fragment.selectionSet, typeNamed(fragment.typeCondition.name.value));
    known.set(name, found);
    return found;
  };
  const ofSelections = (set: SelectionSetNode, parent: GraphQLNamedType | undefined): Weight =>
    sum(
      set.selections.map((node) => {
        if (node.kind === Kind.FRAGMENT_SPREAD) return ofFragment(node.name.value);
        if (node.kind === Kind.FIELD) return ofField(node, parent);
        const condition = node.typeCondition?.name.value;
        return ofSelections(node.selectionSet, condition === undefined ? parent : typeNamed(condition));
      }),
    );
  const ofField = (node: FieldNode, parent: GraphQLNamedType | undefined): Weight => {
    const field =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[node.name.value] : undefined;
    // Introspection fields cost nothing, because they read no rows; validation limits their depth.
    if (!field) return { cost: 0, depth: 1, width: 1 };
    const own = ownCost(field, node, values);
    if (!node.selectionSet) return { cost: own, depth: 1, width: 1 };
    const inner = ofSelections(node.selectionSet, getNamedType(field.type));
    return {
      cost: own + rowsOf(`${parent?.name}.${field.name}`, field, node, values) * (1 + inner.cost),
      depth: 1 + inner.depth,
      width: 1,
    };
  };
  const typeNamed = (name: string) => schema.getType(name);
  return ofSelections(operation.selectionSet, schema.getRootType(operation.operation) ?? undefined);
}

const NOTHING: Weight = { cost: 0, depth: 0, width: 0 };

function sum(weights: readonly Weight[]): Weight {
  return weights.reduce(
    (a, b) => ({ cost: a.cost + b.cost, depth: Math.max(a.depth, b.depth), width: a.width + b.width }),
    NOTHING,
  );
}

type Values = Readonly<Record<string, unknown>>;

function declaredCost(field: GraphQLField<unknown, unknown>): FieldCost {
  return (field.extensions.queryCost as FieldCost | undefined) ?? {};
}

function ownCost(field: GraphQLField<unknown, unknown>, node: FieldNode, values: Values): number {
  const own = declaredCost(field).own ?? 0;
  if (typeof own !== 'function') return own;
  const given = (node.arguments ?? []).map(({ name, value }) => [
    name.value,
    valueFromASTUntyped(value, values),
  ]);
  return own(Object.fromEntries(given) as Record<string, unknown>);
}

function rowsOf(
  path: string,
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  values: Values,
): number {
  const argument = (name: string): unknown => {
    const value = node.arguments?.find((given) => given.name.value === name)?.value;
    return value && valueFromASTUntyped(value, values);
  };
  // A field with `first` (a connection) counts as its page size; `nodes` and `edges` then count as 1.
  if (field.args.some(({ name }) => name === 'first')) return pageSize(argument('first') ?? argument('last'));
  if (!isListType(getNullableType(field.type))) return 1;
  const ids = argument('ids');
  if (Array.isArray(ids)) return ids.length;
  if (/Connection\.(?:nodes|edges)$/.test(path)) return 1;
  return declaredCost(field).rows ?? DEFAULT_LIST_LENGTH;
}

function pageSize(value: unknown): number {
  return Number.isInteger(value) ? Math.min(Math.max(Number(value), 1), MAX_PAGE_SIZE) : PAGE_SIZE;
}

function withDefaults(operation: OperationDefinitionNode, variables: Values): Values {
  const defaults = (operation.variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
    defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)] as const] : [],
  );
  return { ...Object.fromEntries(defaults), ...variables };
}
