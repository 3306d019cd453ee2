/** The current location; `key` differs for each visit. */
export interface Address {
  readonly pathname: string;
  /** Search parameters with `?`, or ''. */
  readonly search: string;
  /** Fragment with `#`, or ''. */
  readonly hash: string;
  readonly key: string;
}

/** A link target. A missing `search` or `hash` means none; a missing `pathname` means the current one. */
export type LinkTarget = string | Partial<Pick<Address, 'pathname' | 'search' | 'hash'>>;

/** Returns the address of a link target on the page `pathname`. */
export function hrefOf(to: LinkTarget, pathname: string): string {
  const parts = typeof to === 'string' ? partsOf(to) : to;
  return `${parts.pathname || pathname}${parts.search ?? ''}${parts.hash ?? ''}`;
}

function partsOf(href: string) {
  const [, pathname, search, hash] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(href)!;
  return { pathname, search, hash };
}

/** Returns the values of a pattern's `:names`; null if the path does not match. The pattern `*` matches every path. */
export function matchPath(pattern: string, pathname: string): Readonly<Record<string, string>> | null {
  if (pattern === '*') return {};
  const wanted = segmentsOf(pattern);
  const given = segmentsOf(pathname);
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const value = decoded(given[index]!);
    if (segment.startsWith(':')) params[segment.slice(1)] = value;
    else if (segment !== value) return null;
  }
  return params;
}

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '');

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
