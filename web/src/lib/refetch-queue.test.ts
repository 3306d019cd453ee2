import { expect, it } from 'vitest';
import { createTurns } from './refetch-queue.ts';

/** Creates work that ends when the test says, and records when each piece begins. */
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
  const turns = createTurns();
  const first = turns.after(work('first'));
  const asked = [turns.after(work('second')), turns.after(work('third'))];
  expect(begun).toEqual(['first']);
  end('first');
  await first;
  await expect.poll(() => begun).toEqual(['first', 'second']);
  const last = turns.after(work('fourth'));
  end('second');
  await Promise.all(asked);
  await expect.poll(() => begun).toEqual(['first', 'second', 'fourth']);
  end('fourth');
  await last;
  const free = turns.after(work('fifth'));
  expect(begun.at(-1)).toBe('fifth');
  end('fifth');
  await free;
});

it('runs a different request at once, which also serves the waiting callers', async () => {
  const { begun, work, end } = controlled();
  const turns = createTurns();
  const first = turns.now(work('first'));
  const waiting = turns.after(work('again'));
  const other = turns.now(work('other'));
  const since = turns.after(work('other again'));
  expect(begun).toEqual(['first', 'other']);
  end('first');
  await first;
  end('other');
  await Promise.all([waiting, other]);
  await expect.poll(() => begun).toEqual(['first', 'other', 'other again']);
  end('other again');
  await since;
});
