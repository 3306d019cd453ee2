import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { stopInTime } from './leave.ts';

test('waits for a stop that ends', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stopped = stopInTime(() => promise, pino({ level: 'silent' }), 60_000);
  resolve();
  expect(await stopped).toBe(true);
});

test('gives up a stop that hangs, without losing its error', async () => {
  const lines: string[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(line) });
  expect(await stopInTime(() => new Promise(() => {}), logger, 20)).toBe(false);
  expect(lines.join('')).toContain('stop took too long');
  await expect(stopInTime(() => Promise.reject(new Error('broken')), logger, 60_000)).rejects.toThrow(
    'broken',
  );
});

test.each([
  ['with nothing left', ''],
  ['with a timer left', 'setInterval(() => {}, 1000);'],
])('a process that leaves ends with its code, %s', async (_, leftover) => {
  const module = new URL('./leave.ts', import.meta.url).href;
  const program = `import { leaveSoon } from '${module}'; ${leftover} process.exitCode = 3; leaveSoon(50);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program]);
  const [code] = await once(child, 'exit');
  expect(code).toBe(3);
});
