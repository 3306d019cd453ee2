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
