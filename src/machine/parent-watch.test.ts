import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { findNpm } from './parent-watch.ts';

const WATCHER = fileURLToPath(new URL('../../test/fixtures/machine/watch-npm.ts', import.meta.url));
/** Runs a script as npm does: in a shell, with npm's variable in the environment. */
const AS_NPM = `
const { spawn } = require('node:child_process');
spawn('/bin/sh', ['-c', process.argv[1]], { stdio: 'inherit', env: { ...process.env, npm_lifecycle_event: 'start' } });
`;

it.each([
  ['the shell stays in between', `"${process.execPath}" "${WATCHER}"; true`],
  ['the shell is replaced', `exec "${process.execPath}" "${WATCHER}"`],
])('notices that npm was killed when %s', async (_how, script) => {
  const npm = spawn(process.execPath, ['-e', AS_NPM, script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface(npm.stdout)[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('watching');
  npm.kill('SIGKILL');
  expect((await lines.next()).value).toBe('gone');
  expect((await lines.next()).done).toBe(true);
});

it('does nothing without npm', () => {
  expect(findNpm({})).toBe(undefined);
});
