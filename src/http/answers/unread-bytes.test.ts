import { expect, it } from 'vitest';
import { createUnreadBytes } from './unread-bytes.ts';

const KIB = 1024;

it('cuts off the connection that waited longest once too much is unread, and never the only one', () => {
  const unread = createUnreadBytes(100 * KIB);
  const cut: string[] = [];
  const add = (name: string, bytes: number) => unread.add(bytes, () => cut.push(name));
  add('first', 40 * KIB);
  const read = add('second', 40 * KIB);
  read();
  add('third', 40 * KIB);
  add('small', 10 * KIB);
  expect(cut).toEqual([]);
  add('fourth', 70 * KIB);
  expect(cut).toEqual(['first', 'third']);
  add('fifth', 200 * KIB);
  expect(cut).toEqual(['first', 'third', 'fourth']);
});
