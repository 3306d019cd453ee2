import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../test/helpers/postgres.ts';
import { startProcess } from '../../test/helpers/process.ts';

test('a part with only the key of its home warns about it and what will not work', async () => {
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
        msg: expect.stringContaining('cannot be approved or denied'),
      }),
    ]);
  } finally {
    await database.drop();
    rmSync(home, { recursive: true });
  }
});

test.each(['HTTP_PORT', 'METRICS_PORT'])('names a taken %s', async (name) => {
  const database = await createTestDatabase();
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const started = startProcess('api', { DATABASE_URL: database.url, [name]: String(port) });
  await expect(started).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is taken. Stop what uses it, or set ${name} `,
  );
  other.close();
  await database.drop();
});
