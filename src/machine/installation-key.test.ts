import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { installationKey } from './installation-key.ts';

const home = mkdtempSync(join(tmpdir(), 'tarsy-key-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const silent = pino({ level: 'silent' });

test('creates the key once, readable only by its owner, and finds it again', () => {
  const made = installationKey(null, home, silent);
  expect(made).toHaveLength(32);
  expect(statSync(join(home, 'key')).mode & 0o777).toBe(0o600);
  expect(installationKey(null, home, silent)).toEqual(made);
  expect(readFileSync(join(home, 'key'), 'utf8').trim()).toBe(made.toString('base64'));
});

test('TARSY_KEY takes precedence', () => {
  const given = Buffer.alloc(32, 7);
  expect(installationKey(given.toString('base64'), home, silent)).toEqual(given);
});

test('without a writable home each process has its own key and logs it', () => {
  const file = join(home, 'a-file');
  writeFileSync(file, '');
  const lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  expect(installationKey(null, join(file, 'home'), logger)).not.toEqual(
    installationKey(null, join(file, 'home'), logger),
  );
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain('TARSY_KEY');
});
