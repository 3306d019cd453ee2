import { expect } from 'vitest';

/** Returns the least CPU time (ms) that this thread needs for the work. Pauses and other programs do not count. */
export function leastCpuMs(work: () => unknown, runs = 3): number {
  return Math.min(...Array.from({ length: runs }, () => cpuMs(work)));
}

/** Returns the CPU time (ms) that this thread needs for the work once. */
export function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Factor between the two sizes. Linear time grows by it, quadratic time by its square. */
const FACTOR = 8;

/** Time (ms) that is too short to tell how it grows. */
const NOISE_MS = 300;

/** Runs that may be disturbed, as by garbage collection, before the time counts as too long. */
const RUNS = 4;

/**
 * Expects that the CPU time of work grows with the size of its input only: an input eight times as large may take 32 times as
 * long. Quadratic time takes 64 times as long.
 * @param make returns the input of a size
 * @param size of the larger input
 */
export function expectLinear<Input>(
  make: (size: number) => Input,
  work: (input: Input) => unknown,
  size: number,
): void {
  const [small, large] = [make(size / FACTOR), make(size)];
  work(small); // compiles the code
  const limit = (leastCpuMs(() => work(small)) * FACTOR ** 2) / 2 + NOISE_MS;
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS && least >= limit; run += 1)
    least = Math.min(
      least,
      cpuMs(() => work(large)),
    );
  expect(least).toBeLessThan(limit);
}
