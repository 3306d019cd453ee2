// TypeScript does not know it yet, nor does every browser have it.
const { rawJSON } = JSON as { readonly rawJSON?: (text: string) => unknown };

/**
 * As `JSON.parse`, but for numbers that JavaScript would change, such as ids of 64 bits: `JSON.stringify` writes them as
 * they came. @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  if (rawJSON === undefined) return JSON.parse(text);
  const exact = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
    const source = context?.source;
    return typeof value === 'number' && source !== undefined && String(value) !== source
      ? rawJSON(source)
      : value;
  };
  return JSON.parse(text, exact);
}

/** What `parseJson` keeps in place of such a number: it has no parts to open. */
export function isExactNumber(value: object): boolean {
  return (JSON as { readonly isRawJSON?: (value: object) => boolean }).isRawJSON?.(value) === true;
}
