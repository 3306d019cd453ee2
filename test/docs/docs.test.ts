import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGES = [...globSync('*.md', { cwd: ROOT }), ...globSync('docs/**/*.md', { cwd: ROOT })];
const SCRIPTS = Object.keys(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts);

/**
 * Every shell command in the docs, with the test that runs it. A new command belongs here with its test, or with the reason
 * why no test can run it.
 */
const COMMANDS: Record<string, string> = {
  'npm ci': '.ci/run',
  'npm start': 'test/e2e/start.test.ts',
  'npm test': '.ci/run',
  'npm run check': '.ci/run',
  'npm run format': 'the fixing form of the first step of npm run check',
  'npm run release': 'scripts/release.test.ts, in a repository of its own',
  'git push origin HEAD v': 'needs the hosting platform',
  'npm run deploy': 'test/deploy/deploy.test.ts, with a kubectl that notes what it is given',
  'npm run alert': 'test/e2e/start.test.ts',
  'npm run token': 'test/e2e/tokens.test.ts',
  'npm run intake:try': 'src/intake/try-delivery.test.ts',
  "echo '{}' > alert.json": 'scripts/commands/run.ts',
  'df -h / |': 'test/e2e/start.test.ts, as any text on standard input',
  curl: 'test/e2e/start.test.ts',
  'curl -sS https://tarsy.example.com': 'test/docs/senders.test.ts',
  'az monitor': 'needs an account of Azure',
  'SESSION=$(curl': 'test/e2e/start.test.ts',
  'npm run model:local': 'needs a model, see docs/how-to/configure/local-model.md',
  'npm run test:model': 'needs a model, see docs/how-to/configure/local-model.md',
  'mkdir -p my-config': 'test/e2e/own-tools.test.ts',
  'cat > my-config': 'test/e2e/own-tools.test.ts',
  'CONFIG_DIR=my-config npm': 'test/e2e/own-tools.test.ts, by its parts',
  'mkdir -p my-tools': 'test/e2e/own-tools.test.ts',
  'cat > my-tools': 'test/e2e/own-tools.test.ts',
  'CONFIG_DIR=my-tools npm': 'test/e2e/own-tools.test.ts, by its parts',
  'mkdir -p my-alerts': 'test/docs/tutorials.test.ts',
  'cat > my-alerts': 'test/docs/tutorials.test.ts',
  'export ALERTMANAGER_TOKEN=': 'test/docs/tutorials.test.ts, as a variable of each command',
  'CONFIG_DIR=my-alerts npm': 'test/docs/tutorials.test.ts, by its parts',
  'echo "$SESSION"': 'test/docs/tutorials.test.ts',
  'node docs/examples': 'test/docs/examples.test.ts',
  'python3 docs/examples': 'test/docs/examples.test.ts',
  'sh docs/examples': 'test/docs/examples.test.ts',
  'npm run approvals': 'test/e2e/approval-ends.test.ts',
  'npm run --silent export': 'test/e2e/approval-ends.test.ts',
  'npm run --silent config:check': 'src/config/check.test.ts',
  'npm run --silent intake:try': 'test/docs/tutorials.test.ts, with another delivery',
  'mkdir -p my-source': 'test/docs/blocks.test.ts',
  'cat > my-source': 'test/docs/blocks.test.ts',
  'export PROD_TOKEN=': 'test/docs/blocks.test.ts',
  'CONFIG_DIR=my-source npm': 'test/docs/blocks.test.ts',
  journalctl: 'test/e2e/start.test.ts, as any text on standard input',
  'printf ': 'writes the file of the next command',
  'mkdir -p my-skills': 'test/docs/operate.test.ts',
  'cat > my-skills': 'test/docs/operate.test.ts',
  'CONFIG_DIR=my-skills npm': 'test/docs/operate.test.ts, by its parts',
  'pg_dump ': 'test/docs/operate.test.ts',
  'createdb ': 'test/docs/operate.test.ts',
  'dropdb ': 'test/docs/operate.test.ts',
  'pg_restore ': 'test/docs/operate.test.ts',
  'psql ': 'test/docs/operate.test.ts',
  'tar ': 'test/docs/operate.test.ts',
  'DATA=$(readlink': 'test/docs/operate.test.ts',
  'mv "$DATA"': 'test/docs/operate.test.ts',
  'rm -r "$(readlink': 'test/docs/operate.test.ts',
  'git fetch': 'needs the hosting platform',
  'git checkout': 'needs a release to move to; test/upgrade/upgrade.test.ts does it with two versions',
  'docker compose': 'needs a container engine',
  'kubectl ': 'needs a cluster',
  'KUBECONFIG=': 'needs a cluster',
  'CHANGES_MCP_GIT_REPOSITORIES=': 'src/mcp-servers/changes-git.test.ts',
  'openssl rand': 'prints random bytes',
  'node --version': 'prints a version',
  'python3 -': 'prints a version, or makes an environment as test/start does',
  'cd llm-service': 'changes the folder for the next command',
  'GOOGLE_API_KEY=<key>': 'needs a key; test/helpers starts the service in the same way',
  'llm-env/bin/pip': 'needs a package registry',
};

function commandsOf(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const blocks = [...text.matchAll(/```(?:sh|bash)\n([\s\S]*?)```/g)].map(([, block]) => block!);
  return blocks.flatMap((block) =>
    block
      // Removes the input that a command reads from a here-document.
      .replace(/<<'(\w+)'[\s\S]*?\n\1\n/g, '\n')
      .replace(/'\{[\s\S]*?\}'/g, "'{}'")
      .split('\n')
      .filter((line) => /^\S/.test(line) && !/^[#}]/.test(line)),
  );
}

test.each(PAGES)('%s tells only commands that something runs', (page) => {
  const unknown = commandsOf(page).filter(
    (line) => !Object.keys(COMMANDS).some((known) => line.startsWith(known)),
  );
  expect(unknown).toEqual([]);
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
