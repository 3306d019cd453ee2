import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

type Fragments = GraphQLResolveInfo['fragments'];

/** Counts by field node, because documents are cached and nested lists ask repeatedly. */
const counts = new WeakMap<FieldNode, number>();

/** Returns the number of fields selected on one item of this field, nested selections and fragments included. */
export function countSelected({ fieldNodes, fragments }: GraphQLResolveInfo): number {
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
