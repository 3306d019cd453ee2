import { GraphQLError } from 'graphql';
import { expect, test } from 'vitest';
import type { Queryable } from '../../db/queryable.ts';
import { chooseServer, chooseServerOfSearch, readsOfEither } from './either-server.ts';

/** Returns a server that answers with its name, or fails, and records the statements that it gets. */
function server(name: string, error: Error | null = null) {
  const statements: unknown[] = [];
  const query = async (statement: unknown) => {
    statements.push(statement);
    if (error !== null) throw error;
    return { rows: [{ name }] };
  };
  return { statements, reads: { query } as unknown as Queryable };
}

/** Opens the reads of one operation, while the replica is current as often as `current` says. */
function operation(errors: { primary?: Error; replica?: Error } = {}, current: boolean[] = []) {
  const blamed: unknown[] = [];
  const replica = {
    isCurrent: async () => current.shift() ?? true,
    failed: (error: unknown) => void blamed.push(error),
  };
  const chosen = chooseServer(replica);
  const [primary, other] = [server('primary', errors.primary), server('replica', errors.replica)];
  const both = { primary: primary.reads, replica: other.reads };
  const nameOf = (reads: Queryable) => async (statement: string) =>
    (await reads.query<{ name: string }>(statement)).rows[0]!.name;
  return {
    blamed,
    asked: () => [primary.statements, other.statements],
    read: nameOf(readsOfEither({ ...both, server: chosen })),
    search: nameOf(readsOfEither({ ...both, server: chooseServerOfSearch(replica, chosen) })),
  };
}

test('a read that fails on the replica is repeated on the primary, which answers the rest of the operation', async () => {
  const error = new Error('the replica ends');
  const { read, asked, blamed } = operation({ replica: error });
  expect(await read('one')).toBe('primary');
  expect(await read('two')).toBe('primary');
  expect(asked()).toEqual([['one', 'two'], ['one']]);
  expect(blamed).toEqual([error]);
});

test('the replica is not blamed for a read that fails on the primary too', async () => {
  const { read, blamed } = operation({ replica: new Error('no such column'), primary: new Error('none') });
  await expect(read('one')).rejects.toThrow('none');
  expect(blamed).toEqual([]);
});

test('a limit of the API is not repeated on the primary', async () => {
  const { read, asked } = operation({ replica: new GraphQLError('The answer is too large.') });
  await expect(read('one')).rejects.toThrow('The answer is too large.');
  expect(asked()).toEqual([[], ['one']]);
});

test('once the primary answers a statement of a search, it answers the rest of the operation', async () => {
  const { read, search, asked } = operation({}, [true, true, false]);
  expect(await search('one')).toBe('replica');
  expect(await search('two')).toBe('primary');
  expect([await search('three'), await read('four')]).toEqual(['primary', 'primary']);
  expect(asked()).toEqual([['two', 'three', 'four'], ['one']]);
});
