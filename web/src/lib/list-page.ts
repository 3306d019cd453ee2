/** Rows of a page that a reader may choose from; the first is the usual. */
export const PAGE_SIZES: readonly number[] = [25, 50, 100];

/** Which page of a list is shown. */
export interface ListPage {
  readonly size: number;
  /** Cursor that the page begins after, or ends before; both null: the first page. */
  readonly after: string | null;
  readonly before: string | null;
  /** Rows before the page, as they were counted on the way there. */
  readonly at: number;
}

export const FIRST_PAGE = { after: null, before: null, at: 0 } as const;

/** What an address says; what it says wrong counts as not said. */
export function parsePage(params: URLSearchParams): ListPage {
  const size = Number(params.get('size'));
  const after = params.get('after');
  const before = after === null ? params.get('before') : null;
  const at = Number(params.get('at'));
  return {
    size: PAGE_SIZES.includes(size) ? size : PAGE_SIZES[0]!,
    after,
    before,
    at: (after ?? before) !== null && Number.isSafeInteger(at) && at > 0 ? at : 0,
  };
}

/** Writes it into an address, as `parsePage` reads it. */
export function formatPage({ size, after, before, at }: ListPage, params: URLSearchParams): void {
  if (size !== PAGE_SIZES[0]) params.set('size', String(size));
  if (after !== null) params.set('after', after);
  if (before !== null) params.set('before', before);
  if (at > 0) params.set('at', String(at));
}

/** As the API's connections take it. */
export function pageVariables({ size, after, before }: ListPage) {
  return before === null ? { first: size, after } : { last: size, before };
}

export function isFirstPage({ after, before }: ListPage): boolean {
  return after === null && before === null;
}
