export const PAGE_SIZES: readonly number[] = [25, 50, 100];

export interface ListPage {
  readonly size: number;
  /** The page begins after the cursor `after` or ends before the cursor `before`; both are null for the first page. */
  readonly after: string | null;
  readonly before: string | null;
  /** Number of rows before the page, counted while the viewer pages; 0 if unknown. */
  readonly at: number;
}

export const FIRST_PAGE = { after: null, before: null, at: 0 } as const;

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

export function formatPage({ size, after, before, at }: ListPage, params: URLSearchParams): void {
  if (size !== PAGE_SIZES[0]) params.set('size', String(size));
  if (after !== null) params.set('after', after);
  if (before !== null) params.set('before', before);
  if (at > 0) params.set('at', String(at));
}

/** Returns the page as arguments of a GraphQL connection. */
export function pageVariables({ size, after, before }: ListPage) {
  return before === null ? { first: size, after } : { last: size, before };
}

export function isFirstPage({ after, before }: ListPage): boolean {
  return after === null && before === null;
}
