// Node options of every TARSy process. Plain JavaScript because the launcher uses them.

/**
 * Maximum JavaScript heap (MiB). Node's own limit depends on the machine: too low on a small one, and on a big one high
 * enough to hide a leak for days.
 */
const HEAP_MIB = 2048;

/** Size of each half of the young generation (MiB). Node's default of 16 keeps up to 60 MiB of garbage in an idle process. */
const SEMI_SPACE_MIB = 8;

/**
 * Maximum growth of the heap over its live data before a collection (%). V8's default allows four times its size, which is
 * hundreds of MiB of garbage under many large answers.
 */
const HEAP_GROWING_PERCENT = 100;

/** @param {string} [given] options from NODE_OPTIONS, which come first */
export function nodeOptions(given = '') {
  return [
    '--disable-warning=ExperimentalWarning',
    `--heap-growing-percent=${HEAP_GROWING_PERCENT}`,
    // Parallel collection of young memory costs a busy machine more than it saves an idle one.
    '--no-parallel-scavenge',
    ...(/max-old-space-size/.test(given) ? [] : [`--max-old-space-size=${HEAP_MIB}`]),
    ...(/max-semi-space-size/.test(given) ? [] : [`--max-semi-space-size=${SEMI_SPACE_MIB}`]),
  ];
}

/** Block size (bytes) from which glibc maps memory separately and returns it to the system when freed. */
const OWN_MEMORY_BYTES = 256 * 1024;

/**
 * Environment variables for memory use, needed before a process starts. Many threads allocate buffers; by default glibc
 * keeps a heap for each thread, with freed blocks of up to 32 MiB.
 */
export const NODE_ENVIRONMENT = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: String(OWN_MEMORY_BYTES),
  MALLOC_TRIM_THRESHOLD_: String(OWN_MEMORY_BYTES),
};
