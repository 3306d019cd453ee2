import { sep } from 'node:path';

/** True when `path` is `root` or lies below it. Both must be absolute and resolved. */
export function isWithin(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
