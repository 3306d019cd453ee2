import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openLogFile } from './log-file.ts';

it('stays within its size limit and keeps one predecessor', () => {
  const dir = mkdtempSync(join(tmpdir(), 'tarsy-log-'));
  try {
    const path = join(dir, 'a.log');
    const log = openLogFile(path, 100);
    for (let line = 0; line < 40; line += 1)
      log.write(Buffer.from(`line ${String(line).padStart(4, '0')}\n`));
    log.close();
    log.write(Buffer.from('after the end\n'));
    expect(readdirSync(dir).sort()).toEqual(['a.log', 'a.log.1']);
    for (const name of readdirSync(dir)) expect(statSync(join(dir, name)).size).toBeLessThanOrEqual(100);
    expect(log.tail().endsWith('line 0039\n')).toBe(true);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

it('keeps working if the file or its folder is removed, and writes into no other file', () => {
  const dir = mkdtempSync(join(tmpdir(), 'tarsy-log-'));
  const folder = join(dir, 'logs');
  const path = join(folder, 'a.log');
  const line = (text: string) => Buffer.from(`${text.padEnd(59)}\n`);
  try {
    const log = openLogFile(path, 100);
    log.write(line('first'));
    rmSync(path);
    log.write(line('second'));
    expect(readFileSync(path)).toEqual(line('second'));

    rmSync(folder, { recursive: true });
    log.write(line('third'));
    const others = openSync(join(dir, 'others'), 'a'); // gets the lowest free descriptor number
    log.write(line('fourth'));
    writeSync(others, 'theirs');
    expect(readFileSync(join(dir, 'others'), 'utf8')).toBe('theirs');
    log.close();
  } finally {
    rmSync(dir, { recursive: true });
  }
});
