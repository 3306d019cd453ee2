import { dirname, join, normalize } from 'node:path/posix';

export interface PageContext {
  /** Path of the page, relative to docs/. */
  readonly page: string;
  /** Folders below docs/ that have pages but no index. The site has a list of their pages as index.md. */
  readonly listed: ReadonlySet<string>;
  /** True if a path relative to docs/ is a file that the site has. */
  readonly has: (path: string) => boolean;
  /** Address before the path of a source file, without a slash at its end; `null` shows such links as code. */
  readonly sources: string | null;
}

/**
 * Returns the Markdown of a page as MkDocs needs it. The docs are written for GitHub: links that leave docs/, nested
 * lists, names of files beside a code block's language, and bars in the code of tables mean something else to MkDocs.
 */
export function sitePage(text: string, context: PageContext): string {
  const rewrite = (line: string) =>
    themePictures(cellCode(line)).replace(LINK, (...match) => link(match, context));
  return indentLists(text)
    .split(/^( *```[\s\S]*?^ *```[ \t]*)$/m)
    .map((part) => (/^ *```/.test(part) ? titledFence(part) : part.split('\n').map(rewrite).join('\n')))
    .join('');
}

/** Returns the internal links of a page as paths relative to docs/. */
export const linkTargets = (text: string, page: string): string[] =>
  [...text.matchAll(LINK)].map(([, , , target]) => pathOf(target!, page));

const pathOf = (target: string, page: string): string =>
  target.startsWith('#') ? page : normalize(join(dirname(page), target.split('#')[0]!)).replace(/\/$/, '');

const LINK = /(!?)\[([^\]]*)\]\(([^)\s]+)\)/g;

function link([whole, image, shown, target]: string[], { page, listed, has, sources }: PageContext): string {
  if (/^(?:[a-z]+:|#)/.test(target!)) return whole!;
  const [path = '', anchor] = target!.split('#');
  const to = pathOf(target!, page);
  if (listed.has(to)) return `[${shown}](${path.replace(/\/$/, '')}/index.md)`;
  // A file of docs/ that is missing stays a link, so that MkDocs reports it.
  if (has(to) || (!to.startsWith('..') && /\.\w+$/.test(to))) return whole!;
  const source = normalize(join('docs', to));
  if (sources === null)
    return /^`.*`$/.test(shown!) || shown === source ? shown! : `${shown} (\`${source}\`)`;
  return `${image}[${shown}](${sources}/${source}${anchor === undefined ? '' : `#${anchor}`})`;
}

/** Removes the backslash of a bar in the code of a table's cell, which GitHub removes and MkDocs shows. */
const cellCode = (line: string): string =>
  line.startsWith('|') ? line.replace(/`[^`]*`/g, (code) => code.replaceAll('\\|', '|')) : line;

/** Turns a picture with a dark variant into two. The style of the site shows one of them, by the chosen scheme. */
const themePictures = (line: string): string =>
  line.replace(
    /<picture><source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)"><img (?:alt="([^"]*)" )?src="([^"]+)"[^>]*><\/picture>/g,
    (_, dark: string, alt: string = '', light: string) =>
      `![${alt}](${light}#only-light)![${alt}](${dark}#only-dark)`,
  );

/** Gives a code block the file name behind its language as its title. */
const titledFence = (block: string): string =>
  block.replace(
    /^( *```\S+) +(\S[^\n]*)/,
    (_, open: string, title: string) => `${open} title="${title.trim()}"`,
  );

/** Indents what belongs to a list item by four columns a level, as MkDocs needs it. GitHub takes two or three. */
function indentLists(text: string): string {
  const offsets: number[] = [];
  let fence = false;
  let before = '';
  const lines = text.split('\n').map((line) => {
    const indent = line.length - line.trimStart().length;
    const item = fence ? null : /^ *(?:[-*+]|\d+\.) +/.exec(line);
    const continues =
      fence || line.trim() === '' || (before.trim() !== '' && item === null && !/^\S/.test(line));
    if (!continues) while (offsets.length > 0 && indent < offsets.at(-1)!) offsets.pop();
    before = line;
    const own = Math.min(indent, offsets.at(-1) ?? 0);
    const moved = line.trim() === '' ? line : '    '.repeat(offsets.length) + line.slice(own);
    if (item) offsets.push(item[0].length);
    if (/^ *```/.test(line)) fence = !fence;
    return moved;
  });
  return lines.join('\n');
}
