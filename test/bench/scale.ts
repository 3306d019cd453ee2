/**
 * The scale of a run. `BENCH=short` only proves that every measurement still works; its figures mean nothing.
 * `BENCH=full` runs the long forms.
 */
const SCALES = ['short', 'usual', 'full'] as const;
type Scale = (typeof SCALES)[number];

const asked = process.env.BENCH || 'usual';
if (!SCALES.includes(asked as Scale)) throw new Error(`BENCH is ${SCALES.join(', ')}, not "${asked}"`);
export const SCALE = asked as Scale;

/** Returns the value for this run's scale. `full` defaults to `usual`. */
export function scaled<T>(short: T, usual: T, full: T = usual): T {
  return { short, usual, full }[SCALE];
}
