import type { FieldPath } from './types.ts';

const STEP = /\.([A-Za-z_][\w-]*)|\[(\d{1,6})\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\]|(\[\*\])/gy;

/** Reads a path such as `$.items[*]`, `$.labels["k8s.io/name"]` or `$.values[0]`; null when it is none. */
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
