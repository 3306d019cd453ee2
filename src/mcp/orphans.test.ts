import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { callTool, hostileServer, isAlive, openExecutor } from '../../test/helpers/mcp/executor.ts';
import { processesByVariable } from '../machine/proc.ts';
import { createMark, killMarked, killOrphans, MARK_VARIABLE } from './orphans.ts';

const OWNER = resolve(import.meta.dirname, '../../test/helpers/mcp/killed-owner.ts');
const logger = pino({ level: 'silent' });

it('kills the servers of a killed process but not those of a running one', { timeout: 60_000 }, async () => {
  const own = await openExecutor([hostileServer('odd')]);
  const ownPid = Number((await callTool(own, 'odd.pid')).content);
  const owner = spawn(process.execPath, [OWNER], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = (await once(createInterface({ input: owner.stdout }), 'line')) as [string];
    const pid = Number(line);
    await killOrphans(logger);
    expect([pid, ownPid].map(isAlive)).toEqual([true, true]);
    const exited = once(owner, 'exit');
    owner.kill('SIGKILL');
    await exited;
    expect(isAlive(pid)).toBe(true);
    await killOrphans(logger);
    expect([pid, ownPid].map(isAlive)).toEqual([false, true]);
  } finally {
    owner.kill('SIGKILL');
    await own.close();
  }
});

it('ends a kill only after two scans in a row have found no process', async () => {
  const ended: string[] = [];
  const mark = createMark();
  const late = killMarked(mark).then(() => ended.push('with a late process'));
  await setImmediate();
  await processesByVariable(MARK_VARIABLE); // ends with the first scan, which begins just before
  const child = spawn('sleep', ['60'], { env: { ...process.env, [MARK_VARIABLE]: mark } });
  const exited = once(child, 'exit');
  const other = killMarked(createMark()).then(() => ended.push('without a process'));
  await Promise.all([late, other]);
  expect(ended).toEqual(['without a process', 'with a late process']);
  expect(await exited).toEqual([null, 'SIGKILL']);
});
