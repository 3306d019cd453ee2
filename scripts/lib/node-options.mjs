// How every process of TARSy starts Node. Plain JavaScript, for the launcher.

/**
 * MiB of JavaScript heap. Node's own limit follows the machine, so a small one would fail at a fraction of this, a big one
 * hide a leak for days.
 */
const HEAP_MIB = 2048;

/** MiB of each half of the space for new objects. Node's 16 keep up to 60 MiB of an idle process for what is gone. */
const SEMI_SPACE_MIB = 8;

/**
 * Percent by which the heap may grow beyond what lives until it is cleaned. Left to itself V8 lets it be four times as large:
 * hundreds of MiB of what is gone, under many large answers.
 */
const HEAP_GROWING_PERCENT = 100;

/** @param {string} [given] NODE_OPTIONS, which go first */
export function nodeOptions(given = '') {
  return [
    '--disable-warning=ExperimentalWarning',
    `--heap-growing-percent=${HEAP_GROWING_PERCENT}`,
    // Threads that clean young memory side by side take more of a busy machine than they save one that is idle.
    '--no-parallel-scavenge',
    ...(/max-old-space-size/.test(given) ? [] : [`--max-old-space-size=${HEAP_MIB}`]),
    ...(/max-semi-space-size/.test(given) ? [] : [`--max-semi-space-size=${SEMI_SPACE_MIB}`]),
  ];
}

/** Bytes from which glibc asks the system for memory of its own for a block, and gives it back when that is freed. */
const OWN_MEMORY_BYTES = 256 * 1024;

/**
 * Variables that a process needs before it starts. Buffers come and go on many threads: glibc, left to itself, keeps a heap
 * for each and lets freed blocks of up to 32 MiB lie there.
 */
export const NODE_ENVIRONMENT = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: String(OWN_MEMORY_BYTES),
  MALLOC_TRIM_THRESHOLD_: String(OWN_MEMORY_BYTES),
};
