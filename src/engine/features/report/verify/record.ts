import { oncePer } from '../../../../common/once-per.ts';
import { childrenOf, firstEndingAfter, type Node, upwards } from './node.ts';

/** True if a field is the value of a metric sample, in JSON or as text. */
export function isSample({ key, parent }: Node): boolean {
  if (parent === null) return false;
  if (parent.text !== '')
    return /^[{ ]/.test(
      parent.text.slice(key === 'value' ? 0 : parent.text.startsWith(key) ? key.length : -1),
    );
  return key === 'value' && parent.children[0]?.key === 'time';
}

/** Maximum number of neighbours of a node that are looked at, because an object may have millions of fields. */
const MAX_BESIDE = 400;

const withoutRows = oncePer((parent: Node) => childrenOf(parent).filter(({ isRow }) => !isRow));

/** Returns the children of a node's parent that are no rows, at most `MAX_BESIDE` around the node. */
export function neighboursOf(node: Node): Node[] {
  if (node.parent === null) return [];
  const all = withoutRows(node.parent);
  const from = all.length > MAX_BESIDE ? Math.max(0, firstEndingAfter(all, node.start) - MAX_BESIDE / 2) : 0;
  return all.slice(from, from + MAX_BESIDE).filter((other) => other !== node);
}

/**
 * Returns the fields beside a node: those of the same parent, and the names and labels in objects of that
 * parent.
 */
export function besides(node: Node): Node[] {
  return neighboursOf(node).flatMap((sibling) => {
    if (sibling.text !== '') return [sibling];
    return sharesKeys(sibling, node) ? [] : leavesOf(sibling);
  });
}

/**
 * Returns the other fields of the record to which a field belongs. The record is the nearest row around the
 * field.
 */
export function siblingsOf(field: Node): Node[] {
  const found: Node[] = [];
  for (const node of upwards(field)) {
    found.push(...besides(node));
    if (node.isRow && !isSample(field)) break;
    if (node.isRow && node.parent?.isRow !== false && node !== field) break;
  }
  return found;
}

/**
 * Matches names of objects whose fields are labels of the record around them. In other objects, only fields
 * such as `name` and `id` belong to that record.
 */
export const LABELS = /^(?:metric|labels?|stream|tags|dimensions|attributes)$/i;
const NAME_KEY = /^(?:.*name|.*id|identifier|key|.*username)$/i;

/** Maximum number of fields of an object that are looked at. */
const MAX_INSIDE = 50;

function leavesOf(node: Node): Node[] {
  const isAll = LABELS.test(node.key);
  return childrenOf(node)
    .slice(0, MAX_INSIDE)
    .filter(({ text, isRow, key }) => text !== '' && !isRow && (isAll || NAME_KEY.test(key)));
}

/**
 * True if two objects have a key in common. They are then entries of the same kind, each about something
 * else.
 */
export function sharesKeys(one: Node, other: Node): boolean {
  const keys = new Set(
    childrenOf(one)
      .slice(0, MAX_INSIDE)
      .map(({ key }) => key),
  );
  return childrenOf(other)
    .slice(0, MAX_INSIDE)
    .some(({ key }) => keys.has(key));
}
