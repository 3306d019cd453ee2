import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'parse5';

interface Element {
  readonly tagName?: string;
  readonly attrs?: readonly { readonly name: string; readonly value: string }[];
  readonly childNodes?: readonly Element[];
}
interface BuiltPage {
  readonly ids: Set<string>;
  readonly references: readonly { readonly to: string; readonly loads: boolean }[];
}

/** Stands for the address of the site, so that relative links can be resolved. */
const SITE = 'http://site.invalid';

/**
 * Returns the problems of a built site: links to files or anchors that do not exist, addresses of other hosts that are
 * not well formed, and anything that a page loads from another host.
 */
export function builtLinkProblems(folder: string): string[] {
  // The page for unknown addresses is served at any depth, so its links start at the root of the host.
  const pages = new Map(
    globSync('**/*.html', { cwd: folder, exclude: ['404.html'] }).map((page) => [
      page,
      readPage(join(folder, page)),
    ]),
  );
  const styles = globSync('**/*.css', { cwd: folder }).flatMap((file) => loadedByStyle(folder, file));
  const problems = [...pages].flatMap(([page, { references }]) =>
    references.flatMap(({ to, loads }) => {
      const problem = problemOf({ folder, page, to, loads, pages });
      return problem === null ? [] : [`${page}: ${problem}: ${to}`];
    }),
  );
  return [...new Set([...styles, ...problems])];
}

interface Reference {
  folder: string;
  page: string;
  to: string;
  loads: boolean;
  pages: ReadonlyMap<string, BuiltPage>;
}

function problemOf({ folder, page, to, loads, pages }: Reference): string | null {
  if (to.startsWith('data:') || to.startsWith('mailto:')) return null;
  const url = URL.parse(to, `${SITE}/${page}`);
  if (url === null) return 'not an address';
  if (url.origin !== SITE) {
    if (loads) return 'loaded from another host';
    return isWellFormed(url) ? null : 'not a well-formed address of another host';
  }
  const path = decodeURIComponent(url.pathname).slice(1);
  const file = path === '' || path.endsWith('/') ? `${path}index.html` : path;
  if (!existsSync(join(folder, file)) || statSync(join(folder, file)).isDirectory()) return 'no such page';
  const anchor = decodeURIComponent(url.hash.slice(1));
  const isThere = anchor === '' || !pages.has(file) || pages.get(file)!.ids.has(anchor);
  return isThere ? null : 'no such anchor';
}

/** True for an address with a scheme and a host that can exist. Other hosts are never asked. */
const isWellFormed = ({ protocol, hostname }: URL): boolean =>
  /^https?:$/.test(protocol) && (/^[a-z\d-]+(\.[a-z\d-]+)+$/.test(hostname) || hostname === 'localhost');

function readPage(file: string): BuiltPage {
  const ids = new Set<string>();
  const references: { to: string; loads: boolean }[] = [];
  const visit = ({ tagName, attrs = [], childNodes = [] }: Element): void => {
    for (const { name, value } of attrs) {
      if (name === 'id' || (name === 'name' && tagName === 'a')) ids.add(value);
      if (name === 'src') references.push({ to: value, loads: true });
      if (name === 'href') references.push({ to: value, loads: tagName === 'link' });
      if (name === 'srcset')
        references.push(...value.split(',').map((to) => ({ to: to.trim().split(' ')[0]!, loads: true })));
    }
    for (const child of childNodes) visit(child);
  };
  visit(parse(readFileSync(file, 'utf8')) as Element);
  return { ids, references };
}

const loadedByStyle = (folder: string, file: string): string[] =>
  [...readFileSync(join(folder, file), 'utf8').matchAll(/url\(["']?((?:https?:)?\/\/[^)"']+)/g)].map(
    ([, to]) => `${file}: loaded from another host: ${to}`,
  );
