import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

/** Runs a program with a `logger` of this format. Returns its output and its log, which is empty if `log` is a file. */
async function runLogging(format: 'json' | 'pretty', program: string, log: 'pipe' | number = 'pipe') {
  const module = new URL('./logger.ts', import.meta.url).href;
  const whole = `import { setFlagsFromString } from 'node:v8';
    import { runInNewContext } from 'node:vm';
    import { createLogger } from '${module}';
    const logger = createLogger({ logLevel: 'info', logFormat: '${format}' });
    ${program}`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', whole], {
    stdio: ['ignore', 'pipe', log],
  });
  const [out, logged] = await Promise.all([text(child.stdout!), child.stderr ? text(child.stderr) : '']);
  return { out, logged };
}

/** A file to which every write fails with "no space left on device". */
const FULL = '/dev/full';

test.each(['json', 'pretty'] as const)(
  'a process works on when its %s log cannot be written, and keeps little of it',
  async (format) => {
    const full = openSync(FULL, 'w');
    const { out } = await runLogging(
      format,
      `globalThis.kept = logger; // or its lines would be collected with it
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc');
    collect();
    const { heapUsed } = process.memoryUsage();
    for (let turn = 0; turn < 40; turn++) {
      for (let line = 0; line < 1000; line++) logger.info('x'.repeat(1000));
      await new Promise(setImmediate); // an unhandled error would end the process here
    }
    collect();
    process.stdout.write(String(process.memoryUsage().heapUsed - heapUsed));`,
      full,
    );
    closeSync(full);
    expect(out).toMatch(/^-?\d+$/);
    expect(Number(out)).toBeLessThan(20_000_000);
  },
);

test('logs a long line completely', async () => {
  const { logged } = await runLogging('json', `logger.info('x'.repeat(500_000));`);
  expect(JSON.parse(logged)).toMatchObject({ msg: 'x'.repeat(500_000) });
});
