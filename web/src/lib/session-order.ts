let order: readonly string[] = [];

/** Stores the session ids of the list that the viewer sees, in its order. */
export function rememberOrder(ids: readonly string[]): void {
  order = ids;
}

/**
 * Returns the id of the session after (1) or before (-1) a session in the list that the viewer saw last. Null at the
 * list's ends. Undefined if the list does not contain the session, as after opening a link.
 */
export function neighbourInList(id: string, step: 1 | -1): string | null | undefined {
  const index = order.indexOf(id);
  return index < 0 ? undefined : (order[index + step] ?? null);
}
