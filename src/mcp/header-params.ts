/**
 * Schema keyword of MCP (revision 2026-07-28) for a property whose argument is also sent as an HTTP header. Implemented
 * here, because the SDK's own implementation also refuses results that differ from the protocol's schema.
 */
const MARK = 'x-mcp-header';
const PREFIX = 'Mcp-Param-';
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);

interface HeaderParameter {
  header: string;
  path: string[];
}

/** Returns the marked properties; `null` if a mark violates the protocol. The caller must not offer such a tool. */
export function headerParameters(schema: unknown): HeaderParameter[] | null {
  const marked: HeaderParameter[] = [];
  const names = new Set<string>();
  /** Collects a node's marks; false if one is invalid. @param path `null` where no mark is allowed, as in `items` */
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

export function parameterHeaders(schema: unknown, args: Record<string, unknown>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { header, path } of headerParameters(schema) ?? []) {
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

/** Returns the value unchanged if a header can carry it, otherwise as `=?base64?…?=`. */
function encoded(value: string): string {
  const isPlain =
    /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}
