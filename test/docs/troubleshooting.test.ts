import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { INTAKE_OUTCOMES } from '../../src/db/enums.ts';
import { WAIT_REASON_MEANINGS } from '../../src/db/wait-reason.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDER = 'docs/troubleshooting';
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const PAGES = globSync(`${FOLDER}/*.md`, { cwd: ROOT }).sort();
const headingsOf = (page: string) =>
  [...read(`${FOLDER}/${page}`).matchAll(/^#+ (.+)$/gm)].map(([, title]) => title!);

/** The sources as one text. Joins strings that continue on the next line, and removes escapes. */
const SOURCES = globSync(['src/**/*.ts', 'llm-service/llm_service/**/*.py', 'web/src/**/*.{ts,tsx}'], {
  cwd: ROOT,
})
  .filter((file) => !file.includes('.test.'))
  .map((file) =>
    read(file)
      .replace(/['"`]\s*\+?\s*\n\s*f?['"`]/g, '')
      .replaceAll('\\', ''),
  )
  .join('\n');

/** Returns the error texts of a page: the lines of its blocks `text`. */
const errorsOf = (page: string) =>
  [...read(page).matchAll(/```text\n([\s\S]*?)```/g)].flatMap(([, block]) => block!.trim().split('\n'));

test.each(PAGES)('%s quotes error texts as the code has them', (page) => {
  // "…" stands for the parts that differ from case to case.
  const parts = errorsOf(page).flatMap((line) => line.split('…').map((part) => part.trim()));
  const quoted = parts.filter((part) => part.length > 6);
  expect(quoted.filter((part) => !SOURCES.includes(part))).toEqual([]);
});

test('error texts are quoted', () => {
  expect(PAGES.flatMap(errorsOf).length).toBeGreaterThan(40);
});

test('every alert rule has a section of its name', () => {
  const { groups } = parse(read('deploy/monitoring/prometheus-rules.yaml')) as {
    groups: { rules: { alert?: string }[] }[];
  };
  const rules = groups.flatMap(({ rules }) => rules.flatMap(({ alert }) => alert ?? []));
  expect(rules.length).toBeGreaterThan(5);
  expect(headingsOf('alert-rules.md')).toEqual(expect.arrayContaining(rules));
});

test('every decision and every wait reason has a section', () => {
  const names = [...INTAKE_OUTCOMES, ...Object.keys(WAIT_REASON_MEANINGS)];
  expect(names).toEqual(expect.arrayContaining(['DUPLICATE', 'REJECTED', 'TOOLS']));
  expect(headingsOf('alert-not-investigated.md')).toEqual(expect.arrayContaining(names));
});
