import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { insertSession } from '../../../../test/helpers/http-api.ts';
import { createTestPool, type TestPool } from '../../../../test/helpers/postgres.ts';
import { createTransaction } from '../../store/database.ts';
import { addLessons, adjustConfidence, deleteMemory } from './store.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());
beforeEach(() => pool.query('truncate memories, memory_words cascade'));

/** Stores one lesson of a new session, as the first of its team. */
async function learn(content: string, team: string | null = null): Promise<void> {
  const id = await insertSession(pool, { team, status: 'COMPLETED' });
  const source = { id, alertType: 'host', team, title: null, entities: null };
  await addLessons(pool, source, 'ACCURATE', [{ category: 'SEMANTIC', content, sameAs: null }]);
  await adjustConfidence(pool, new Map([[id, 'ACCURATE']]), 'reviewed');
}
const stored = async () =>
  (
    await pool.query<{ content: string; team: string | null; seen: number }>(
      'select content, team, seen_count as seen from memories order by created_at, content',
    )
  ).rows;

test('a lesson that says the same as a memory of its team becomes a further source of it', async () => {
  const first = 'The disk of db-03 fills up because the rotation of its old log files is switched off.';
  await learn(first);
  await learn(first.replace('db-03', 'DB-03'));
  await learn(first, 'red');
  const more = `${first} Then every replica of the database stops, and the alerts of all its clients follow within minutes.`;
  await learn(more);
  expect(await stored()).toEqual([
    { content: first, team: null, seen: 2 },
    { content: first, team: 'red', seen: 1 },
    { content: more, team: null, seen: 1 },
  ]);
});

test('a memory that does not exist cannot be deleted, and no deletion is recorded', async () => {
  const transaction = createTransaction(pool, { publish: async () => {} });
  const deps = { transaction, masking: { maskText: (text: string) => text } };
  const deletions = `select actor from audit_events where action = 'memory.delete'`;
  await learn('zebra');
  const id = (await pool.query<{ id: string }>('select id from memories')).rows[0]!.id;
  const by = { name: 'ana', via: 'NONE', address: null };
  await deleteMemory(deps, id, by);
  await expect(deleteMemory(deps, id, by)).rejects.toThrow('There is no memory with this id.');
  expect((await pool.query(deletions)).rowCount).toBe(1);
  expect(await stored()).toEqual([]);
});
