// How every process of TARSy starts Node. Plain JavaScript, for the launcher.

/**
 * MiB of JavaScript heap. Node's own limit follows the machine, so a small one would fail at a fraction of this, a big one
 * hide a leak for days.
 */
const HEAP_MIB = 2048;

/** MiB of each half of the space for new objects. Node's 16 keep up to 60 MiB of an idle process for what is gone. */
const SEMI_SPACE_MIB = 8;

/** @param {string} [given] NODE_OPTIONS, which go first */
export function nodeOptions(given = '') {
  return [
    '--disable-warning=ExperimentalWarning',
    ...(/max-old-space-size/.test(given) ? [] : [`--max-old-space-size=${HEAP_MIB}`]),
    ...(/max-semi-space-size/.test(given) ? [] : [`--max-semi-space-size=${SEMI_SPACE_MIB}`]),
  ];
}
