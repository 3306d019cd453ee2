/**
 * Runs the work for each item, at most `limit` at a time, and returns the results in the order of the items. Every
 * piece of work comes to its own end before the first failure is passed on.
 * @throws what the first item that failed threw
 */
export async function runBounded<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: PromiseSettledResult<R>[] = new Array(items.length);
  let next = 0;
  async function worker(): Promise<void> {
    while (next < items.length) {
      const index = next++;
      [results[index]] = (await Promise.allSettled([work(items[index]!, index)])) as [
        PromiseSettledResult<R>,
      ];
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
