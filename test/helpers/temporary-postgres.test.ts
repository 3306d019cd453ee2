import { existsSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { pidsWorkingIn } from '../../src/machine/proc.ts';
import { eventually, makeCleanup, query, startHolder } from '../fixtures/machine/postgres/harness.ts';
import { startTemporaryPostgres } from './temporary-postgres.ts';

const cleanup = makeCleanup();
afterEach(() => cleanup.run(), 60_000);

const dataDirOf = async (url: string) => {
  const [row] = await query<{ dir: string }>(url, "SELECT current_setting('data_directory') AS dir");
  return row!.dir;
};

it('is fast and empty, and is deleted by stop', { timeout: 60_000 }, async () => {
  const server = await startTemporaryPostgres();
  cleanup.add(() => server.stop());
  const dir = await dataDirOf(server.url);
  expect(await query(server.url, 'SHOW fsync')).toEqual([{ fsync: 'off' }]);
  await server.stop();
  expect(existsSync(dir)).toBe(false);
});

it('is deleted when its parent is killed', { timeout: 60_000 }, async () => {
  const holder = await startHolder(['temporary']);
  cleanup.add(() => holder.end('SIGTERM'));
  const dir = await dataDirOf(holder.url!);
  expect(pidsWorkingIn(dir, 'postgres').length).toBeGreaterThan(0);
  await holder.end('SIGKILL');
  await eventually(() => expect(existsSync(dir)).toBe(false));
});
