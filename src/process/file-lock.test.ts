import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const TAKE = fileURLToPath(new URL('./fixtures/take-lock.ts', import.meta.url));

test('processes that take it from each other all get it, though its file goes away between a look and the lock', {
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
