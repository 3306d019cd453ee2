import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../test/helpers/postgres.ts';
import { startProcess } from '../../test/helpers/process.ts';

test('a part that has the key of its home alone says so, and what will not work', async () => {
  const home = mkdtempSync(join(tmpdir(), 'tarsy-part-'));
  const database = await createTestDatabase();
  const warned = async (given: Record<string, string>) => {
    const api = await startProcess('api', { DATABASE_URL: database.url, TARSY_HOME: home, ...given });
    await api.end('SIGTERM');
    return api.log.filter((line) => line.includes('TARSY_KEY')).map((line) => JSON.parse(line));
  };
  try {
    expect(await warned({ TARSY_KEY: Buffer.alloc(32, 7).toString('base64') })).toEqual([]);
    expect(await warned({})).toEqual([
      expect.objectContaining({
        path: join(home, 'key'),
        msg: expect.stringContaining('neither approved nor denied'),
      }),
    ]);
  } finally {
    await database.drop();
    rmSync(home, { recursive: true });
  }
});
