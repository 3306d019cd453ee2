import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { processesByVariable } from './proc.ts';

const LONG = 'x'.repeat(120_000); // Linux limits one variable to 128 KiB

test('finds processes by a variable, also behind other long ones', async () => {
  const value = randomUUID();
  const last = { ONE: LONG, TWO: LONG, SOUGHT: value };
  const started = [{ SOUGHT: value, ONE: LONG }, last, { SOUGHT: `${value}2` }, { OTHER_SOUGHT: value }].map(
    (env) => spawn('/bin/sleep', ['60'], { env }),
  );
  const [first, second] = started.map(({ pid }) => pid!);
  try {
    const find = async () => (await processesByVariable('SOUGHT')).get(value) ?? [];
    await vi.waitUntil(async () => (await find()).length === 2, 20_000); // a starting process has no environment yet
    expect((await find()).toSorted()).toEqual([first, second].toSorted());
  } finally {
    for (const child of started) child.kill('SIGKILL');
  }
});
