import { dirname, join, normalize } from 'node:path/posix';

/** The navigation as MkDocs reads it: paths of pages below docs/, and groups with their title. */
export type Navigation = (string | { [title: string]: Navigation })[];

interface Section {
  readonly title: string;
  /** Pages and folders that the index links below this heading, in its order. */
  readonly links: string[];
}

/**
 * Returns the navigation of the site. The index gives the sections, one for each heading of level two, and the order of
 * the pages that it links. Each other page joins the section of its folder, below the name of its innermost folder.
 * @param index text of docs/index.md
 * @param pages paths of all pages, relative to docs/
 */
export function navigationOf(index: string, pages: readonly string[]): Navigation {
  const sections = sectionsOf(index);
  const linked = new Set(['index.md', ...sections.flatMap(({ links }) => links)]);
  const groups = new Map<Section, Map<string, string[]>>();
  const isList = (page: string) => page.endsWith('/index.md');
  const others = pages.filter((path) => !linked.has(path)).toSorted();
  for (const page of [...others.filter(isList), ...others.filter((path) => !isList(path))]) {
    const folder = dirname(page);
    const section = sectionOf(folder, sections);
    const folders = groups.get(section) ?? new Map<string, string[]>();
    groups.set(section, folders.set(folder, [...(folders.get(folder) ?? []), page]));
  }
  const known = new Set(pages);
  const entries = sections.map((section): Navigation[number] => {
    const own = section.links.filter((link) => known.has(link));
    const more = [...(groups.get(section) ?? [])].flatMap(
      ([folder, found]): Navigation =>
        own.some((link) => dirname(link) === folder) ? found : [{ [folderTitle(folder)]: found }],
    );
    return { [section.title]: [...own, ...more] };
  });
  return ['index.md', ...entries.filter((entry) => Object.values(entry)[0]!.length > 0)];
}

/** Returns a title for a folder of pages: "Alert sources" for `how-to/alert-sources`, "ADR" for `adr`. */
export function folderTitle(folder: string): string {
  const words = folder.slice(folder.lastIndexOf('/') + 1).replaceAll('-', ' ');
  return words.length <= 3 ? words.toUpperCase() : words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns the sections of the index. A page that has several links is listed once, at its first link. */
function sectionsOf(index: string): Section[] {
  const seen = new Set<string>();
  return index
    .split(/^## /m)
    .slice(1)
    .map((text) => {
      const title = /^[^:\n]*/.exec(text)![0].trim();
      const targets = [...text.matchAll(/\]\(([^)#\s]+)/g)].map(([, to]) =>
        normalize(to!).replace(/\/$/, ''),
      );
      const links = targets.filter((to) => !to.startsWith('..') && !seen.has(to) && seen.add(to));
      return { title, links };
    });
}

/** Returns the section with the folder, with most links below it, or of its parent. Adds a section for an unknown folder. */
function sectionOf(folder: string, sections: Section[]): Section {
  const below = ({ links }: Section) =>
    links.filter((link) => link === folder || link.startsWith(`${folder}/`)).length;
  const best = sections.toSorted((a, b) => below(b) - below(a))[0];
  if (best && below(best) > 0) return best;
  const parent = dirname(folder);
  if (parent !== '.') return sectionOf(parent, sections);
  const section = { title: folder === '.' ? 'More' : folderTitle(folder), links: [join(folder, '')] };
  sections.push(section);
  return section;
}
