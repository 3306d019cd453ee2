import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const fixture = (name: string) =>
  fileURLToPath(new URL(`../../test/fixtures/machine/${name}.ts`, import.meta.url));
const TAKE = fixture('take-lock');

test('competing processes all get the lock in turn, although its file is removed meanwhile', {
  timeout: 60_000,
}, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tarsy-file-lock-'));
  try {
    const children = Array.from({ length: 3 }, () =>
      spawn(process.execPath, [TAKE, join(dir, 'a.lock'), '60'], { stdio: ['ignore', 'inherit', 'inherit'] }),
    );
    const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
    expect(codes).toEqual([0, 0, 0]);
    expect(readdirSync(dir)).toEqual([]);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('one of several simultaneous processes gets the lock', { timeout: 60_000 }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tarsy-file-lock-'));
  const children = Array.from({ length: 2 }, () => fork(fixture('race-for-lock')));
  try {
    for (let round = 0; round < 12; round++) {
      const asked = { path: join(dir, `${round}.lock`), at: Date.now() + 10 };
      const won = await Promise.all(
        children.map(async (child) => {
          child.send(asked);
          return (await once(child, 'message'))[0];
        }),
      );
      expect(won.sort()).toEqual([false, true]);
    }
  } finally {
    for (const child of children) child.kill();
    rmSync(dir, { recursive: true });
  }
});
