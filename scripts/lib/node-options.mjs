// Node options of every TARSy process. Plain JavaScript because the launcher uses them.

/**
 * Maximum JavaScript heap (MiB). Node's default depends on the machine: too low on a small machine, and on a big one so
 * high that a leak stays unnoticed for days.
 */
const HEAP_MIB = 2048;

/** Size of each young-generation semi-space (MiB). Node's default of 16 keeps up to 60 MiB of garbage when idle. */
const SEMI_SPACE_MIB = 8;

/**
 * Growth of the heap over its live data (%) that starts a collection. V8's default lets it grow to four times the size,
 * which is hundreds of MiB of garbage under many large answers.
 */
const HEAP_GROWING_PERCENT = 100;

/** @param {string} [given] value of NODE_OPTIONS; its heap sizes take precedence over ours */
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

/** Size (bytes) from which glibc allocates a block separately and returns it to the system when it is freed. */
const OWN_MEMORY_BYTES = 256 * 1024;

/**
 * Environment variables that limit memory use; glibc reads them when a process starts. By default it keeps a heap for
 * each of the many threads, with freed blocks of up to 32 MiB.
 */
export const NODE_ENVIRONMENT = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: String(OWN_MEMORY_BYTES),
  MALLOC_TRIM_THRESHOLD_: String(OWN_MEMORY_BYTES),
};
