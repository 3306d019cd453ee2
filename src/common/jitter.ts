/**
 * Returns a random duration between half of `ms` and `ms`, so that callers that failed together do not retry at the
 * same moment.
 */
export function jittered(ms: number, random: () => number = Math.random): number {
  return ms * (0.5 + random() / 2);
}
