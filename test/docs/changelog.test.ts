import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (name: string) => readFileSync(resolve(ROOT, name), 'utf8');

/** The six kinds of changes in https://keepachangelog.com/en/1.1.0/, in its order. */
const KINDS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];

const releases = read('CHANGELOG.md')
  .split(/^## /m)
  .slice(1)
  .map((text) => {
    const [heading = '', ...sections] = text.split(/^### /m);
    const { version, date } = /^\[(?<version>[^\]]+)\](?: - (?<date>\S+))?\s*$/.exec(heading)?.groups ?? {};
    return { version, date, kinds: sections.map((section) => section.split('\n', 1)[0]!), sections };
  });

test('begins with unreleased changes, then versions with their date, newest first', () => {
  const [unreleased, ...versions] = releases;
  expect(unreleased).toMatchObject({ version: 'Unreleased', date: undefined });
  for (const { version, date } of versions) {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(new Date(`${date}T00:00:00Z`).toISOString().slice(0, 10)).toBe(date);
  }
  const numbers = versions.map(({ version }) => version!.split('.').map(Number));
  const newestFirst = numbers.toSorted((a, b) => b[0]! - a[0]! || b[1]! - a[1]! || b[2]! - a[2]!);
  expect(numbers).toEqual(newestFirst);
  expect(versions.at(-1)?.version).toBe('0.1.0');
});

test('contains the version of the program', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  expect(releases.map((release) => release.version)).toContain(version);
});

test('sorts changes under the six kinds, none empty or repeated', () => {
  for (const { version, kinds, sections } of releases) {
    expect(kinds, version).toEqual(KINDS.filter((kind) => kinds.includes(kind)));
    for (const section of sections) expect(section).toMatch(/^\w+\n\n- \S/);
  }
});
