/**
 * Arguments that a tool wants repeated as HTTP headers, for proxies that look at headers only (protocol of 2026-07-28):
 * properties marked `x-mcp-header`. The SDK does this in a function of its own that would also parse results strictly.
 */
const MARK = 'x-mcp-header';
const PREFIX = 'Mcp-Param-';
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);

interface Marked {
  header: string;
  path: string[];
}

/** The marked properties; null when the marks break a rule of the protocol, and then the tool must not be offered. */
export function markedProperties(schema: unknown): Marked[] | null {
  const marked: Marked[] = [];
  const names = new Set<string>();
  /** `path` null: a place where no mark may stand, such as an item of a list or one of several alternatives. */
  const visit = (node: unknown, path: string[] | null): boolean => {
    if (typeof node !== 'object' || node === null) return true;
    const mark = MARK in node ? node[MARK] : undefined;
    if (mark !== undefined) {
      if (!path?.length || typeof mark !== 'string' || !TOKEN.test(mark)) return false;
      if (!('type' in node) || !TYPES.has(node.type) || names.has(mark.toLowerCase())) return false;
      names.add(mark.toLowerCase());
      marked.push({ header: mark, path });
    }
    return Object.entries(node).every(([key, value]) => {
      const isProperties =
        key === 'properties' && path !== null && typeof value === 'object' && value !== null;
      if (!isProperties) return visit(value, null);
      return Object.entries(value).every(([name, property]) => visit(property, [...path, name]));
    });
  };
  return visit(schema, []) ? marked : null;
}

/** The headers that go with a call. */
export function headersOf(schema: unknown, args: Record<string, unknown>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { header, path } of markedProperties(schema) ?? []) {
    const value = path.reduce<unknown>(
      (at, key) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : undefined),
      args,
    );
    const isSafe = typeof value !== 'number' || Number.isSafeInteger(value);
    if (['string', 'number', 'boolean'].includes(typeof value) && isSafe) {
      headers[PREFIX + header] = encoded(String(value));
    }
  }
  return headers;
}

/** As it is when a header can carry it, else in base64, marked as such. */
function encoded(value: string): string {
  const isPlain =
    /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}
