/**
 * Runs `work` for each item, at most `limit` at a time. Returns the results in the order of the items.
 * @throws the error of the first failed item, after all items have ended
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
