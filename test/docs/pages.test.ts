import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import { buildSchema, type GraphQLObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const ROOT = resolve(import.meta.dirname, '../..');
const DOCS = globSync('docs/**/*.md', { cwd: ROOT }).sort();
const PAGES = ['README.md', ...DOCS];
/** Pages with the limits of sentences. Decision records stay as they were written. */
const PLAIN = PAGES.filter((page) => !page.startsWith('docs/adr/'));
const START = 'docs/index.md';
const CLICKS = 3;
/** Limits of the sentences of a page, in words. */
const AVERAGE_WORDS = 20;
const MAX_WORDS = 35;
const MAX_LINES = 200;
/** Limits of README.md and its picture. */
const README_LINES = 90;
const PICTURE_BYTES = 200_000;

const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');
const withoutCode = (text: string) => text.replace(/^[ \t]*```[\s\S]*?^[ \t]*```[ \t]*$/gm, '');

/** Returns the anchors that GitHub gives to the headings of a page. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, title = ''] of withoutCode(read(page)).matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const shown = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = shown.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Returns the internal links of a page: the path from the root, and the anchor or `undefined`. */
function linksOf(page: string): { path: string; anchor: string | undefined }[] {
  const targets = [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/g)].map(([, to]) => to!);
  return targets
    .filter((to) => !/^(?:[a-z]+:|\/\/)/.test(to))
    .map((to) => {
      const [path, anchor] = to.split('#') as [string, string?];
      return { path: path === '' ? page : normalize(join(dirname(page), path)), anchor };
    });
}

test.each(PAGES)('%s links to files and anchors that exist', (page) => {
  const broken = linksOf(page).filter(
    ({ path, anchor }) =>
      !existsSync(join(ROOT, path)) ||
      (anchor !== undefined && path.endsWith('.md') && !anchorsOf(path).has(anchor)),
  );
  expect(broken).toEqual([]);
});

test('every page is at most three clicks away from the index', () => {
  let reached = new Set([START]);
  for (let click = 0; click < CLICKS; click += 1) {
    const next = [...reached].flatMap((page) => linksOf(page).map(({ path }) => path));
    // A link to a folder shows the list of its pages.
    const pages = DOCS.filter((page) =>
      next.some((path) => path === page || dirname(page) === normalize(path)),
    );
    reached = new Set([...reached, ...pages]);
  }
  expect(DOCS.filter((page) => !reached.has(page))).toEqual([]);
  expect(linksOf('README.md').map(({ path }) => path)).toContain(START);
});

/** Returns the sentences of a page, without code blocks, tables, headings and HTML. Inline code counts as one word. */
function sentencesOf(page: string): string[] {
  const prose = withoutCode(read(page))
    .replace(/^(?:\||#|<).*$/gm, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/`[^`]*`/g, 'code');
  const paragraphs = prose.split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/).map((text) => text.replace(/\s+/g, ' '));
  return paragraphs
    .flatMap((text) => text.replace(/^\s*(?:[-*]|\d+\.) /, '').split(/(?<=[.!?])["*_)]*\s+/))
    .map((sentence) => sentence.trim())
    .filter((sentence) => /\w/.test(sentence));
}

const wordsIn = (sentence: string) => sentence.split(' ').filter((word) => /\w/.test(word)).length;

test.each(PLAIN)('%s has short sentences and at most 200 lines', (page) => {
  const sentences = sentencesOf(page);
  const words = sentences.map(wordsIn);
  expect(sentences.filter((sentence) => wordsIn(sentence) > MAX_WORDS)).toEqual([]);
  expect(words.reduce((sum, count) => sum + count, 0) / words.length).toBeLessThanOrEqual(AVERAGE_WORDS);
  expect(read(page).split('\n').length).toBeLessThanOrEqual(MAX_LINES + 1);
});

test('README.md has at most 90 lines, and one picture of at most 200 kB', () => {
  expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(README_LINES);
  const pictures = linksOf('README.md').filter(({ path }) => /\.(?:png|svg|webp)$/.test(path));
  expect(pictures).toHaveLength(1);
  expect(statSync(join(ROOT, pictures[0]!.path)).size).toBeLessThanOrEqual(PICTURE_BYTES);
});

test('the plain pages are found', () => {
  const HOW_TO = ['install', 'configure', 'alert-sources', 'intake', 'access', 'operate', 'integrate'];
  const kinds = ['tutorials', 'concepts', 'troubleshooting', 'reference', 'project'];
  for (const folder of [...HOW_TO.map((name) => `how-to/${name}`), ...kinds])
    expect(PLAIN.filter((page) => dirname(page) === `docs/${folder}`).length).toBeGreaterThanOrEqual(4);
  expect(PLAIN).toEqual(expect.arrayContaining(['README.md', START, 'docs/how-to/alert-sources/generic.md']));
});

test('the streams page lists exactly the subscriptions of the schema', () => {
  const { Subscription } = buildSchema(read('schema.graphql')).getTypeMap();
  const listed = [...read('docs/reference/streams.md').matchAll(/^\| `(\w+)(?:\(.*?\))?` \|/gm)].map(
    ([, name]) => name,
  );
  expect(listed.sort()).toEqual(Object.keys((Subscription as GraphQLObjectType).getFields()).sort());
});

test.each(['how-to/alert-sources/alertmanager.md', 'tutorials/alerts-from-alertmanager.md'])(
  'the Alertmanager configuration of %s names a receiver for each route, the root included',
  (page) => {
    const [, text = ''] = /```yaml.*\n(route:[\s\S]*?)```/.exec(read(`docs/${page}`)) ?? [];
    const { route, receivers } = parse(text);
    const names = receivers.map(({ name }: { name: string }) => name);
    for (const { receiver } of [route, ...route.routes]) expect(names).toContain(receiver);
  },
);

test('the page of decisions lists every record', () => {
  const listed = linksOf('docs/project/decisions.md').map(({ path }) => path);
  expect(DOCS.filter((page) => page.startsWith('docs/adr/') && !listed.includes(page))).toEqual([]);
});
