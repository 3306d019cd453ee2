/** Replaces a tool call's arguments if masking fails. The text is a JSON object, because providers require one. */
export const WITHHELD_ARGUMENTS = '{"withheld":"[MASKED_ARGUMENTS]"}';

/** Masks a tool call's arguments. JSON stays JSON of the same shape. Returns WITHHELD_ARGUMENTS if masking fails. */
export function maskArgumentsText(text: string, mask: (text: string) => string): string {
  try {
    const masked = mask(text);
    if (masked === text) return text;
    const value = parsed(text);
    if (value === undefined || parsed(masked) !== undefined) return masked;
    // A placeholder replaced a bare number or boolean and broke the JSON, so these are quoted and masked again.
    const quoted = parsed(mask(JSON.stringify(value, (_, part) => (isBare(part) ? String(part) : part))));
    return quoted === undefined ? WITHHELD_ARGUMENTS : JSON.stringify(unquoted(value, quoted));
  } catch {
    return WITHHELD_ARGUMENTS;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isBare(value: unknown): value is number | boolean {
  return typeof value === 'number' || typeof value === 'boolean';
}

function unquoted(original: unknown, masked: unknown): unknown {
  if (isBare(original)) return masked === String(original) ? original : masked;
  if (Array.isArray(original) && Array.isArray(masked)) {
    return original.map((item, index) => unquoted(item, masked[index]));
  }
  if (isObject(original) && isObject(masked)) {
    return Object.fromEntries(
      Object.entries(masked).map(([key, item]) => [key, unquoted(original[key], item)]),
    );
  }
  return masked;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
