import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openLogFile } from './log-file.ts';

it('never outgrows its bound and keeps one predecessor', () => {
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
