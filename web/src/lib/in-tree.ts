/** One of a list, with how far below the topmost it is. */
export type Placed<T> = T & { readonly depth: number };

/** Each followed by those below it; else in the order of the list. What names nobody of the list as its parent is topmost. */
export function inTree<T extends object>(
  list: readonly T[],
  idOf: (one: T) => string,
  parentOf: (one: T) => string | null,
): Placed<T>[] {
  const ids = new Set(list.map(idOf));
  const below = Map.groupBy(list, (one) => {
    const parent = parentOf(one);
    return parent !== null && ids.has(parent) ? parent : null;
  });
  const walk = (parent: string | null, depth: number): Placed<T>[] =>
    (below.get(parent) ?? []).flatMap((one) => [{ ...one, depth }, ...walk(idOf(one), depth + 1)]);
  return walk(null, 0);
}
