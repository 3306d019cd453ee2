type OwnCost = number | ((args: Readonly<Record<string, unknown>>) => number);

/** Cost of a field, in objects of the response: `own + rows × (1 + cost of its selection)`; a scalar costs `own`. */
export interface FieldCost {
  /** Extra cost of the field itself. @default 0 */
  own?: OwnCost;
  /** List length assumed if the arguments give none: the length in a usual investigation. @default 10 */
  rows?: number;
}

/** Returns the field extension that declares a query cost. Too costly documents are refused before execution. */
export function queryCost(cost: FieldCost): { queryCost: FieldCost } {
  return { queryCost: cost };
}

export const LARGE_VALUE = queryCost({ own: 20 });

/** Cost of a full-text search. The cost limit of a document allows three searches. */
export const SEARCH_COST = 9_000;

export function isSearch(filter: unknown): boolean {
  return typeof filter === 'object' && filter !== null && 'search' in filter && filter.search != null;
}
