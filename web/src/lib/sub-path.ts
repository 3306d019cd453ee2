/**
 * Path below which a proxy serves the dashboard, such as `/tarsy`; '' at the root. Derived from the address of this
 * script, so that one build works below every path. Built scripts are one level below the root, in `assets`.
 */
export const SUB_PATH = import.meta.env.PROD ? parentOf(parentOf(new URL(import.meta.url).pathname)) : '';

/** Returns the page's path below the sub-path, such as `/sessions/1`. */
export function pathWithin(pathname: string, subPath = SUB_PATH): string {
  return pathname.startsWith(`${subPath}/`) ? pathname.slice(subPath.length) : pathname;
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}
