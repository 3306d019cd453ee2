import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

test.each([
  ['unhandledRejection', `Promise.reject(new Error('nobody waits for this'))`],
  ['uncaughtException', `setTimeout(() => { throw new Error('nobody waits for this') })`],
])(
  'an %s is logged with its origin, and ends the process after what runs was given back',
  async (origin, fault) => {
    const module = new URL('./signals.ts', import.meta.url).href;
    const program = `
    import { pino } from 'pino';
    import { untilStopRequested } from '${module}';
    const alive = setInterval(() => {}, 1000);
    untilStopRequested(pino()).then(async (code) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      console.log('given back');
      clearInterval(alive);
      process.exitCode = code;
    });
    ${fault};`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program]);
    const output = text(child.stdout);
    const [code] = await once(child, 'exit');
    expect(code).toBe(1);
    const lines = (await output).trim().split('\n');
    expect(JSON.parse(lines[0]!)).toMatchObject({
      level: 60,
      origin,
      err: { message: 'nobody waits for this' },
    });
    expect(lines).toContain('given back'); // not compared with the last line, because the logger may write one later
  },
);
