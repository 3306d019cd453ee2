import { isTransient } from './transient.ts';

/**
 * Runs `work` on each item, one after the other. An item that fails for its own reason does not keep the others waiting.
 * @throws AggregateError with the failures, after the last item; a failure of the whole database at once
 */
export async function oneByOne<T>(
  items: Iterable<T> | AsyncIterable<T>,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  for await (const item of items) {
    try {
      await work(item);
    } catch (error) {
      if (isTransient(error)) throw error;
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, String(failures[0]));
}
