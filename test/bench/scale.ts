/**
 * How much is measured: `BENCH=short` only proves that every measurement still runs, `BENCH=full` takes the long forms.
 * Figures of a short run mean nothing.
 */
const SCALES = ['short', 'usual', 'full'] as const;
type Scale = (typeof SCALES)[number];

const asked = process.env.BENCH || 'usual';
if (!SCALES.includes(asked as Scale)) throw new Error(`BENCH is ${SCALES.join(', ')}, not "${asked}"`);
export const SCALE = asked as Scale;

/** The amount for this run. `full` is as `usual` unless given. */
export function scaled<T>(short: T, usual: T, full: T = usual): T {
  return { short, usual, full }[SCALE];
}
