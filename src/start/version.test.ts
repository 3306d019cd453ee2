import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { buildVersion } from './version.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tarsy-version-'));
  writeFileSync(join(root, 'package.json'), '{ "version": "1.2.3" }');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true });
});

function git(...parts: string[]): string {
  const who = ['-c', 'user.name=T', '-c', 'user.email=t@example.org'];
  return execFileSync('git', ['-C', root, ...who, ...parts], { encoding: 'utf8' }).trim();
}

function commitAll(): string {
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'One');
  return git('rev-parse', 'HEAD');
}

test('an image reports the commit it was built from', () => {
  expect(buildVersion('0123456789abcdef0123456789abcdef01234567', root)).toBe('1.2.3+0123456789ab');
});

test('a checkout reports its commit, despite tags and git hooks, and whether it has changes', () => {
  const commit = commitAll();
  git('tag', '--annotate', 'v1', '--message', 'v1');
  vi.stubEnv('GIT_DIR', '/nowhere');
  vi.stubEnv('GIT_INDEX_FILE', '/nowhere/index');
  expect(buildVersion(null, root)).toBe(`1.2.3+${commit.slice(0, 12)}`);
  writeFileSync(join(root, 'package.json'), '{ "version": "1.2.4" }');
  expect(buildVersion(null, root)).toBe(`1.2.4+${commit.slice(0, 12)}.dirty`);
});

test('without either it has only the version, even inside another checkout', () => {
  commitAll();
  const inner = join(root, 'unpacked');
  mkdirSync(inner);
  writeFileSync(join(inner, 'package.json'), '{ "version": "3.0.0" }');
  expect(buildVersion(null, inner)).toBe('3.0.0');
  mkdirSync(join(inner, '.git')); // no repository: git fails
  expect(buildVersion(null, inner)).toBe('3.0.0');
});
