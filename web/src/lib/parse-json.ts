// `JSON.rawJSON` is missing in TypeScript's types and in some browsers.
const { rawJSON } = JSON as { readonly rawJSON?: (text: string) => unknown };

/**
 * Parses JSON like `JSON.parse`, but keeps numbers that JavaScript would change, such as 64-bit ids: `JSON.stringify`
 * writes them unchanged. @throws SyntaxError
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

/** True for a number that `parseJson` kept unchanged. Such a value is an object without entries. */
export function isExactNumber(value: object): boolean {
  return (JSON as { readonly isRawJSON?: (value: object) => boolean }).isRawJSON?.(value) === true;
}
