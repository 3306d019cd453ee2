import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../scripts/lib/dev-python.ts';
import { PICTURES, SLACK_PICTURES } from '../pictures/pages.ts';

const MAX_BYTES = 150_000;
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const names = [...PICTURES.map(({ name }) => name), ...SLACK_PICTURES];
const files = names.flatMap((name) => [`${name}.webp`, `${name}-dark.webp`]);

test('each page of the dashboard has a picture', () => {
  const [, routes = ''] = /const routes = \{([\s\S]*?)\} as const/.exec(read('web/src/app.tsx'))!;
  const patterns = [...routes.matchAll(/^ {2}'(\/[^']*)'/gm)].map(([, pattern]) => pattern!);
  expect(patterns.length).toBeGreaterThan(10);
  const pictured = PICTURES.map(({ route }) => route);
  expect(patterns.filter((pattern) => !pictured.includes(pattern))).toEqual([]);
});

test('each picture is shown in the docs, light and dark, with at most 150 kB', () => {
  const docs = globSync('docs/**/*.md', { cwd: ROOT }).map(read).join('\n');
  expect(files.filter((file) => !docs.includes(`pictures/${file}"`))).toEqual([]);
  expect(files.filter((file) => statSync(join(ROOT, 'docs/pictures', file)).size > MAX_BYTES)).toEqual([]);
});

test('the folder of the pictures has no picture that the script does not make', () => {
  expect(globSync('*.{webp,png}', { cwd: join(ROOT, 'docs/pictures') }).toSorted()).toEqual(files.toSorted());
});
