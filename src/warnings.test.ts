import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../test/helpers/postgres.ts';
import { openPool } from './db/pool.ts';
import { createWarnings, listWarnings, type Warnings } from './warnings.ts';

const logger = pino({ level: 'silent' });
let database: TestDatabase;
let pool: ReturnType<typeof openPool>;
let warnings: Warnings;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openPool(database.url, { application: 'test', logger });
  warnings = createWarnings({ db: pool, mask: (text) => text.replaceAll('hunter2', '***'), logger });
});
beforeEach(() => pool.query('delete from system_warnings'));
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const listed = async () =>
  (await listWarnings(pool)).map(({ category, key, message, details, serverId }) => ({
    category,
    key,
    message,
    details,
    serverId,
  }));

describe('a warning', () => {
  it('is updated when raised again, and keeps its creation time', async () => {
    await warnings.raise({ category: 'mcp_health', message: 'is away', serverId: 'web', details: 'refused' });
    const [first] = await listWarnings(pool);
    await warnings.raise({ category: 'mcp_health', message: 'is away', serverId: 'web', details: 'hangs' });
    const [again, ...others] = await listWarnings(pool);
    expect(others).toEqual([]);
    expect(again).toEqual({ ...first, details: 'hangs' });
    expect(again?.createdAt).toBeInstanceOf(Date);
  });

  it('is unique per category and server, or per category and key', async () => {
    await warnings.raise({ category: 'a', message: '1' });
    await warnings.raise({ category: 'a', message: '2', serverId: 's' });
    await warnings.raise({ category: 'a', message: '3', key: 'k' });
    await warnings.raise({ category: 'b', message: '4' });
    expect((await listed()).map(({ category, key, message }) => [category, key, message])).toEqual([
      ['a', '', '1'],
      ['a', 's', '2'],
      ['a', 'k', '3'],
      ['b', '', '4'],
    ]);
    await warnings.clear('a', 's');
    await warnings.clear('a');
    await warnings.clear('c');
    expect((await listed()).map(({ message }) => message)).toEqual(['3', '4']);
  });

  it('is masked, bounded and storable', async () => {
    await warnings.raise({ category: 'a', message: 'the password hunter2\0', details: 'y'.repeat(100_000) });
    const [warning] = await listed();
    expect(warning?.message).toBe('the password ***\u{FFFD}');
    expect(warning?.details?.length).toBeLessThan(2100);
  });

  it('withholds its text when masking fails', async () => {
    const broken = createWarnings({
      db: pool,
      mask: () => {
        throw new Error('broken');
      },
      logger,
    });
    await broken.raise({ category: 'a', message: 'the password hunter2' });
    expect((await listed())[0]?.message).toBe('[withheld: masking it failed]');
  });

  it('that cannot be stored does not fail its caller', async () => {
    const query = () => Promise.reject(new Error('the database is away'));
    const away = createWarnings({ db: { query }, mask: (text) => text, logger });
    await expect(away.raise({ category: 'a', message: 'x' })).resolves.toBeUndefined();
    await expect(away.clear('a')).resolves.toBeUndefined();
  });
});
