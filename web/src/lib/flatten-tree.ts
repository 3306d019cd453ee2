/** An entry with its depth, 0 at the top. */
export type WithDepth<T> = T & { readonly depth: number };

/**
 * Orders entries so that each is followed by its children; siblings keep their order. Entries with an unknown parent
 * count as top-level.
 */
export function flattenTree<T extends object>(
  list: readonly T[],
  idOf: (one: T) => string,
  parentOf: (one: T) => string | null,
): WithDepth<T>[] {
  const ids = new Set(list.map(idOf));
  const below = Map.groupBy(list, (one) => {
    const parent = parentOf(one);
    return parent !== null && ids.has(parent) ? parent : null;
  });
  const walk = (parent: string | null, depth: number): WithDepth<T>[] =>
    (below.get(parent) ?? []).flatMap((one) => [{ ...one, depth }, ...walk(idOf(one), depth + 1)]);
  return walk(null, 0);
}
