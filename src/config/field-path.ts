/** Path to values in JSON, as steps: property names, list indexes, and `*` for every item of a list. */
export type FieldPath = readonly (string | number)[];

const STEP = /\.([A-Za-z_][\w-]*)|\[(\d{1,6})\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\]|(\[\*\])/gy;

/** Parses a path such as `$.items[*]`, `$.labels["k8s.io/name"]` or `$.values[0]`; returns `null` if it is invalid. */
export function parseFieldPath(written: string): FieldPath | null {
  if (!written.startsWith('$')) return null;
  const steps: (string | number)[] = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < written.length) {
    const found = STEP.exec(written);
    if (!found) return null;
    const [, name, index, double, single, all] = found;
    if (index !== undefined) steps.push(Number(index));
    else steps.push(all === undefined ? (name ?? (double ?? single)!.replace(/\\(.)/gs, '$1')) : '*');
  }
  return steps;
}

/** A mapped text: a path alone, or text in which paths in braces are replaced, such as `{$.host}: {$.check}`. */
export type MappedText = { readonly path: FieldPath } | { readonly parts: readonly (string | FieldPath)[] };

/** Parses a mapped text. Text without `$` at its beginning and without braces is a constant. `null` if it is invalid. */
export function parseMappedText(written: string): MappedText | null {
  if (written.startsWith('$')) {
    const path = parseFieldPath(written);
    return path && { path };
  }
  const parts = written.split(/(\{\$[^}]*\})/).filter((part) => part !== '');
  const parsed = parts.map((part) => (part.startsWith('{$') ? parseFieldPath(part.slice(1, -1)) : part));
  return parsed.every((part) => part !== null) ? { parts: parsed } : null;
}
