import { expect, it } from 'vitest';
import { createRefetchQueue } from './refetch-queue.ts';

/** Creates work that ends when the test calls `end`, and records when each piece of work begins. */
function controlled() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    begun.push(name);
    ends.set(name, resolve);
    return promise;
  };
  return { begun, work, end: (name: string) => ends.get(name)!() };
}

it('runs after the current work, once for all callers that wait', async () => {
  const { begun, work, end } = controlled();
  const queue = createRefetchQueue();
  const first = queue.runNext(work('first'));
  const asked = [queue.runNext(work('second')), queue.runNext(work('third'))];
  expect(begun).toEqual(['first']);
  end('first');
  await first;
  await expect.poll(() => begun).toEqual(['first', 'second']);
  const last = queue.runNext(work('fourth'));
  end('second');
  await Promise.all(asked);
  await expect.poll(() => begun).toEqual(['first', 'second', 'fourth']);
  end('fourth');
  await last;
  const free = queue.runNext(work('fifth'));
  expect(begun.at(-1)).toBe('fifth');
  end('fifth');
  await free;
});

it('runs a different request at once, which also serves the waiting callers', async () => {
  const { begun, work, end } = controlled();
  const queue = createRefetchQueue();
  const first = queue.runNow(work('first'));
  const waiting = queue.runNext(work('again'));
  const other = queue.runNow(work('other'));
  const since = queue.runNext(work('other again'));
  expect(begun).toEqual(['first', 'other']);
  end('first');
  await first;
  end('other');
  await Promise.all([waiting, other]);
  await expect.poll(() => begun).toEqual(['first', 'other', 'other again']);
  end('other again');
  await since;
});
