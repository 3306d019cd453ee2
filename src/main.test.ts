import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { NODE_ENVIRONMENT, nodeOptions } from '../scripts/lib/node-options.mjs';

/** Starts the program as an operator does. The database is unreachable, because no command here may connect. */
function start(args: string[], stdout: 'pipe' | number = 'pipe') {
  const env = { ...process.env, ...NODE_ENVIRONMENT, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
  const child = spawn(process.execPath, [...nodeOptions(), join(import.meta.dirname, 'main.ts'), ...args], {
    env: { ...env, CONFIG_DIR: '' },
    stdio: ['ignore', stdout, 'pipe'],
  });
  return { child, ended: Promise.all([once(child, 'exit'), text(child.stderr!)]) };
}

test.each(['start', 'api', 'worker', 'migrate', 'config check'])(
  '%s takes no argument for nothing, and helps',
  async (command) => {
    const wrong = await start([...command.split(' '), 'my-config']).ended;
    expect(wrong).toEqual([[2, null], expect.stringMatching(new RegExp(`^${command} takes no arguments`))]);
    const { child, ended } = start([...command.split(' '), '--help']);
    expect(await text(child.stdout!)).toMatch(/^Usage: npm (?:start|run)/);
    expect(await ended).toEqual([[0, null], '']);
  },
);

test('ends silently when its reader closes the pipe', async () => {
  const { child, ended } = start(['config', 'check']);
  child.stdout!.destroy();
  expect(await ended).toEqual([[141, null], '']);
});

test('reports a full disk in one line', async () => {
  const full = openSync('/dev/full', 'w');
  const said = await start(['config', 'check'], full).ended.finally(() => closeSync(full));
  expect(said).toEqual([[1, null], expect.stringMatching(/^The output could not be written: ENOSPC.*\n$/)]);
});
