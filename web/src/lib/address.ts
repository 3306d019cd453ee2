/** Where the reader is, as the browser's address says it; `key` is another for each visit. */
export interface Address {
  readonly pathname: string;
  /** With its `?`, or empty. */
  readonly search: string;
  /** With its `#`, or empty. */
  readonly hash: string;
  readonly key: string;
}

/** A way to another page, or to a place on this one: what is left out of an object is empty, but for the path. */
export type To = string | Partial<Pick<Address, 'pathname' | 'search' | 'hash'>>;

/** The address that a way leads to from a page. */
export function hrefOf(to: To, pathname: string): string {
  const parts = typeof to === 'string' ? partsOf(to) : to;
  return `${parts.pathname || pathname}${parts.search ?? ''}${parts.hash ?? ''}`;
}

function partsOf(href: string) {
  const [, pathname, search, hash] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(href)!;
  return { pathname, search, hash };
}

/** What the `:names` of a pattern stand for in a path; null where it does not fit. `*` fits everything. */
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
