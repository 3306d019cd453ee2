import { expect, test } from 'vitest';
import { runBounded } from './run-bounded.ts';

test('runs at most the given number at a time, and returns the results in the order of the items', async () => {
  const gates = [3, 1, 2, 0, 4].map((item) => ({ item, ...Promise.withResolvers<void>() }));
  const running = new Set<number>();
  const most: number[] = [];
  const results = runBounded(gates, 2, async ({ item, promise }) => {
    running.add(item);
    most.push(running.size);
    await promise;
    running.delete(item);
    return item;
  });
  expect([...running]).toEqual([3, 1]);
  for (const { resolve } of gates.toReversed()) resolve(); // later items may end first
  expect(await results).toEqual([3, 1, 2, 0, 4]);
  expect(Math.max(...most)).toBe(2);
});

test('throws the first error after all calls have ended', async () => {
  const ended: number[] = [];
  const results = runBounded([0, 1, 2, 3], 2, async (item) => {
    ended.push(item);
    if (item === 0 || item === 2) throw new Error(`item ${item}`);
  });
  await expect(results).rejects.toThrow('item 0');
  expect(ended).toEqual([0, 1, 2, 3]);
});
