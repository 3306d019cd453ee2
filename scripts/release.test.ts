import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const SCRIPT = join(import.meta.dirname, 'release.ts');
const REAL = join(import.meta.dirname, '..');
const CHANGELOG = `# Changelog

## [Unreleased]

### Added

- Retries of deliveries.

### Fixed

- A session ends once.

## [0.9.0] - 2026-01-01

### Added

- Sessions.
`;

let root: string;
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
const release = (...args: string[]) =>
  spawnSync(process.execPath, [SCRIPT, ...args], { cwd: root, encoding: 'utf8' });
const version = (path: string) => (JSON.parse(read(path)) as { version: string }).version;

function write(path: string, text: string): void {
  writeFileSync(join(root, path), text);
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tarsy-release-'));
  git('init', '--quiet');
  git('config', 'user.name', 'Maintainer');
  git('config', 'user.email', 'maintainer@example.org');
  mkdirSync(join(root, 'llm-service'));
  const packageJson = { name: 'tarsy', version: '0.9.0', dependencies: { pg: '8.0.0' } };
  const lock = { ...packageJson, packages: { '': packageJson, 'node_modules/pg': { version: '8.0.0' } } };
  write('package.json', `${JSON.stringify(packageJson, null, 2)}\n`);
  write('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
  write(
    'llm-service/pyproject.toml',
    '[project]\nname = "llm-service"\nversion = "0.9.0"\n\n[tool.x]\nversion = "3"\n',
  );
  mkdirSync(join(root, 'deploy/helm'), { recursive: true });
  write('deploy/helm/Chart.yaml', 'apiVersion: v2\nname: tarsy\nversion: 0.9.0\nappVersion: 0.9.0\n');
  write('CHANGELOG.md', CHANGELOG);
  git('add', '.');
  git('commit', '--quiet', '-m', 'docs: begin');
});

afterEach(() => rmSync(root, { recursive: true }));

it('prints the steps of a release and changes nothing without --write', () => {
  const before = git('log', '--format=%H');
  const { status, stdout } = release('0.10.0');
  expect(status).toBe(0);
  expect(stdout).toContain(
    'write package.json\nwrite package-lock.json\nwrite llm-service/pyproject.toml\nwrite deploy/helm/Chart.yaml\nwrite CHANGELOG.md',
  );
  expect(stdout).toContain('commit "release: set version 0.10.0"\ntag v0.10.0');
  expect(stdout).toContain('### Fixed\n\n- A session ends once.');
  expect(stdout).not.toContain('- Sessions.');
  expect(git('status', '--porcelain')).toBe('');
  expect(git('log', '--format=%H')).toBe(before);
  expect(git('tag')).toBe('');
});

it('sets the version, cuts the changelog, commits and tags', () => {
  expect(release('0.10.0', '--write')).toMatchObject({ status: 0, stderr: '' });
  expect([version('package.json'), version('package-lock.json')]).toEqual(['0.10.0', '0.10.0']);
  expect(JSON.parse(read('package-lock.json'))).toMatchObject({
    packages: { '': { version: '0.10.0' }, 'node_modules/pg': { version: '8.0.0' } },
  });
  expect(read('llm-service/pyproject.toml')).toBe(
    '[project]\nname = "llm-service"\nversion = "0.10.0"\n\n[tool.x]\nversion = "3"\n',
  );
  expect(read('deploy/helm/Chart.yaml')).toContain('\nversion: 0.10.0\nappVersion: 0.10.0\n');
  const date = new Date(git('log', '-1', '--format=%cI').trim()).toISOString().slice(0, 10);
  expect(read('CHANGELOG.md')).toBe(
    CHANGELOG.replace('## [Unreleased]\n', `## [Unreleased]\n\n## [0.10.0] - ${date}\n`),
  );
  expect(git('status', '--porcelain')).toBe('');
  expect(git('log', '-1', '--format=%s')).toBe('release: set version 0.10.0\n');
  expect(git('rev-parse', 'v0.10.0^{commit}')).toBe(git('rev-parse', 'HEAD'));
  expect(git('cat-file', '-t', 'v0.10.0')).toBe('tag\n');
  expect(git('tag', '--list', '--format=%(contents)', 'v0.10.0')).toContain(
    '### Added\n\n- Retries of deliveries.',
  );
});

it.each([
  ['a version that is not newer', '0.9.0', () => {}, 'not newer than the current version 0.9.0'],
  ['a word instead of a version', 'minor', () => {}, 'minor is not a version of three numbers'],
  ['a tree that is not clean', '0.10.0', () => write('notes.txt', 'x'), 'The working tree is not clean'],
  ['a tag that exists', '0.10.0', () => git('tag', 'v0.10.0'), 'The tag v0.10.0 exists already'],
  [
    'a changelog without unreleased entries',
    '0.11.0',
    () => release('0.10.0', '--write'),
    'no unreleased entries',
  ],
])('refuses %s and changes nothing', (_, wanted, prepare, message) => {
  prepare();
  const before = [git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('tag'), read('package.json')];
  const { status, stderr } = release(wanted, '--write');
  expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
  expect([git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('tag'), read('package.json')]).toEqual(
    before,
  );
});

it('changes only versions and the changelog in the real repository', () => {
  const paths = ['package.json', 'package-lock.json', 'llm-service/pyproject.toml', 'deploy/helm/Chart.yaml'];
  for (const path of paths) write(path, readFileSync(join(REAL, path), 'utf8'));
  git('commit', '--quiet', '-am', 'test: use real files');
  expect(release('99.0.0', '--write')).toMatchObject({ status: 0 });
  const changes = git('diff', '--numstat', 'HEAD~1', '--', ...paths)
    .trim()
    .split('\n');
  expect(changes).toEqual([
    '2\t2\tdeploy/helm/Chart.yaml',
    '1\t1\tllm-service/pyproject.toml',
    '2\t2\tpackage-lock.json',
    '1\t1\tpackage.json',
  ]);
});
