/** Runs `work` for each item, at most `limit` at a time. After all calls have ended, throws the first error. */
export async function runBounded<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: PromiseSettledResult<R>[] = new Array(items.length);
  const queue = items.entries();
  async function worker(): Promise<void> {
    for (const [index, item] of queue) results[index] = (await Promise.allSettled([work(item, index)]))[0];
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
