import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

type Fragments = GraphQLResolveInfo['fragments'];

/** Of a document, once: documents are kept, and a list in a list is met again and again. */
const counts = new WeakMap<FieldNode, number>();

/** Fields that are asked of one object of this field, through fragments, and of one object in each of those. */
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
