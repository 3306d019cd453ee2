/** Returns `ms`/2 to `ms` at random, so that callers that failed together do not retry together. */
export function jittered(ms: number): number {
  return ms * (0.5 + Math.random() / 2);
}
