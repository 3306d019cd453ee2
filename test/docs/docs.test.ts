import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf, isCommand } from '../../scripts/commands/blocks.ts';
import { commandPages } from '../../scripts/commands/pages.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGES = [...globSync('*.md', { cwd: ROOT }), ...globSync('docs/**/*.md', { cwd: ROOT })];
const SCRIPTS = Object.keys(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts);

/**
 * The commands of the pages that `npm run docs:commands` does not run, with the test of each. A new command belongs here with
 * its test, or with the reason why no test can run it.
 */
const COMMANDS: Record<string, string> = {
  'npm ci': '.ci/run',
  'npm test': '.ci/run',
  'npm run check': '.ci/run',
  'npm run format': 'the fixing form of the first step of npm run check',
  'npm run config:schema':
    'npm run check compares the files that it writes, as those of the commands after it',
  'npm run schema:print':
    'npm run check compares the files that it writes, as those of the commands after it',
  'npm run release': 'scripts/release.test.ts, in a repository of its own',
  'git push origin HEAD v': 'needs the hosting platform',
  'npm run deploy': 'test/deploy/deploy.test.ts, with a kubectl that notes what it is given',
  'npm run alert': 'test/e2e/start.test.ts',
  journalctl: 'test/e2e/start.test.ts, as any text on standard input',
  'npm run token': 'test/e2e/tokens.test.ts',
  'npm run intake:try': 'src/intake/try-delivery.test.ts',
  'npm run model:local': 'needs a model, see docs/how-to/configure/local-model.md',
  'npm run approvals': 'test/e2e/approval-ends.test.ts',
  'npm run --silent export': 'test/e2e/approval-ends.test.ts',
  'npm run case': 'test/e2e/replay-command.test.ts',
  'npm run replay': 'test/e2e/replay-command.test.ts',
  'npm run scenario': 'test/e2e/scenarios.test.ts',
  'npm run --silent config:check': 'src/config/check.test.ts',
  'TEST_POOLER=1 npx vitest run': 'runs tests of the suite behind a pooler, for minutes',
  'python3 -m venv': 'makes an environment as test/start does',
  'cd llm-service': 'changes the folder for the next command',
  'GOOGLE_API_KEY=<key>': 'needs a key; test/helpers starts the service in the same way',
  'llm-env/bin/pip': 'needs a package registry',
};

const OTHER_PAGES = PAGES.filter((page) => !commandPages().includes(page));
const LINES = OTHER_PAGES.flatMap((page) =>
  blocksOf(readFileSync(join(ROOT, page), 'utf8'))
    .filter(isCommand)
    .flatMap(({ text }) => text.split('\n').filter((line) => /^[^\s#]/.test(line))),
);

test('pages of the reference and of contributors tell only commands that a test runs', () => {
  const known = Object.keys(COMMANDS);
  expect(LINES.filter((line) => !known.some((command) => line.startsWith(command)))).toEqual([]);
  expect(known.filter((command) => !LINES.some((line) => line.startsWith(command)))).toEqual([]);
});

test.each(PAGES)('%s leads to files and scripts that there are', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const links = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)/g)].map(
    ([, link]) => link!,
  );
  expect(links.filter((link) => !existsSync(join(ROOT, dirname(page), link)))).toEqual([]);
  const scripts = [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name]) => name!);
  expect(scripts.filter((name) => !SCRIPTS.includes(name))).toEqual([]);
});

test('every named test file exists', () => {
  const files = Object.values(COMMANDS).flatMap(
    (by) => by.match(/[\w./-]+\.(?:test\.ts|md)|\.ci\/run/g) ?? [],
  );
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});
