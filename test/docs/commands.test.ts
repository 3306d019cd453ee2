import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/commands.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

test('every command of the program has a section on exactly one page of the reference', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const started = Object.entries(scripts).flatMap(([name, line]) =>
    /scripts\/tarsy\.mjs/.test(line) ? [name === 'start' ? 'npm start' : `npm run ${name}`] : [],
  );
  expect(
    Object.values(COMMANDS)
      .map(({ command }) => command)
      .sort(),
  ).toEqual(started.sort());
  const sections = globSync('docs/reference/**/*.md', { cwd: ROOT }).flatMap((page) =>
    [...read(page).matchAll(/^## (npm .+)$/gm)].map(([, command]) => command!),
  );
  expect(sections.toSorted()).toEqual([...started, 'npm run deploy', 'npm run model:local'].sort());
});

test('the page of the LLM service has its options', () => {
  const options = [...read('llm-service/llm_service/__main__.py').matchAll(/add_argument\(\s*"(--[\w-]+)"/g)];
  expect(options.length).toBeGreaterThan(4);
  const rows = [...read('docs/reference/llm-service.md').matchAll(/^\| `(--[\w-]+)` \|/gm)];
  expect(rows.map(([, option]) => option)).toEqual([...options.map(([, option]) => option), '--help']);
});
