import { findUnits, type Unit } from './units.ts';

interface Reading extends Unit {
  value: number;
  /** Value of one unit of the last written digit, in base units; 0.1 s for `1.5 s`. */
  step: number;
}

/** A number with its unit, if it has one. */
export interface Figure {
  text: string;
  start: number;
  end: number;
  /** The number in base units, for each unit that the text may mean; empty without a unit. */
  readings: readonly Reading[];
  /** The number as written, without its unit: its value, and the value of one unit of its last digit. */
  bare: Pick<Reading, 'value' | 'step'>;
  /** True for the second figure of `6/8`, `6 of 8` or `1-8`, which says nothing alone. */
  isSecond: boolean;
}

const NUMBER = String.raw`(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:_\d{3})+|\d+(?:[.,]\d+)?)(?:[eE][+-]?\d{1,3})?`;
const UNIT = String.raw`%|°C|[\p{L}µ]{1,12}(?:\/s)?`;
/** Matches a figure. A version, an address or a part of a name is none. */
const FIGURE = new RegExp(
  String.raw`(?<![\p{L}\p{N}_@#.]|[\p{L}\p{N}_][-/:,]|\d\.\.?)([$€]|[~+])?(-?${NUMBER})(?:(${UNIT})|(?: |-)(${UNIT}))?(?![\p{N}_@%]|[.:-]\p{N}|[-_]\p{L})|(?<=\d\.\.|\d%?\/|\d-)(-?${NUMBER})(${UNIT})?(?![\p{L}\p{N}_.:/-])`,
  'gu',
);
const PART = new RegExp(String.raw`(${NUMBER})\s?(${UNIT})\s?`, 'gu');
const SUM =
  /(?<![\p{L}\p{N}_.:/-])(?:\d+(?:\.\d+)?(?:y|w|d|h|hr|min|m|s|ms|us|µs|ns) ?){2,7}(?![\p{L}\p{N}_])/gu;
const SECOND = /\d ?[%\p{L}]{0,3}(?:\/|-| of | out of )$/u;

/** Returns the figures of a normalized text in their order. */
export function findFigures(text: string): Figure[] {
  const sums = [...text.matchAll(SUM)].map((match) => sumOf(match[0].trimEnd(), match.index));
  const found: Figure[] = [...sums];
  for (const match of text.matchAll(FIGURE)) {
    const { index } = match;
    const [whole, sign = '', first, attached, apart, second, unit] = match;
    if (sums.some(({ start, end }) => index < end && index + whole.length > start)) continue;
    const digits = first ?? second!;
    const name = attached ?? unit ?? (sign === '$' ? '$' : undefined);
    const units = findUnits(name ?? apart ?? '');
    if (name !== undefined && name !== '$' && units.length === 0) continue;
    const end =
      name === undefined && units.length === 0 ? index + sign.length + digits.length : index + whole.length;
    const isSecond =
      second !== undefined
        ? text[index - 1] !== '.'
        : SECOND.test(text.slice(Math.max(0, index - 24), index));
    found.push({ ...figureOf(digits, units), text: text.slice(index, end), start: index, end, isSecond });
  }
  return found.sort((a, b) => a.start - b.start);
}

function figureOf(digits: string, units: readonly Unit[]): Pick<Figure, 'readings' | 'bare'> {
  const [mantissa = '', exponent = '0'] = plainDigits(digits).toLowerCase().split('e');
  const decimals = mantissa.includes('.') ? mantissa.length - mantissa.indexOf('.') - 1 : 0;
  const power = 10 ** Number(exponent);
  const bare = { value: Number(mantissa) * power, step: 10 ** -decimals * power };
  const readings = units.map((unit) => ({
    ...unit,
    value: bare.value * unit.factor,
    step: bare.step * unit.factor,
  }));
  return { readings, bare };
}

/** Returns digits with a decimal point. Commas before groups of three digits are removed; others become points. */
function plainDigits(digits: string): string {
  const ungrouped = digits.replaceAll('_', '');
  if (/^-?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/.test(ungrouped)) return ungrouped.replaceAll(',', '');
  return ungrouped.replace(',', '.');
}

/** Adds the parts of a duration, such as `1h30m`. */
function sumOf(text: string, start: number): Figure {
  let [value, step] = [0, 0];
  for (const [, digits = '', name = ''] of text.matchAll(PART)) {
    const units = findUnits(name).filter(({ dimension }) => dimension === 'seconds');
    const [part] = figureOf(digits, units).readings;
    value += part?.value ?? Number.NaN;
    step = part?.step ?? 0;
  }
  const reading = { dimension: 'seconds', factor: 1, value, step } as const;
  return {
    text,
    start,
    end: start + text.length,
    readings: [reading],
    bare: { value: Number.NaN, step: 0 },
    isSecond: false,
  };
}

/** Parses a duration written as a clock, such as `00:41:07.3`. */
export function clockFigure(text: string): Figure | null {
  const [, hours, minutes, seconds] = /^(\d{2,3}):(\d{2}):(\d{2}(?:\.\d+)?)$/.exec(text) ?? [];
  return seconds === undefined ? null : sumOf(`${hours}h${minutes}m${seconds}s`, 0);
}

/**
 * True if the found figure, converted and rounded to the digits of the claim, equals the claimed one.
 * @param implied units of a found figure that has none itself
 */
export function isSameFigure(claimed: Figure, found: Figure, implied: readonly Unit[] = []): boolean {
  if (found.isSecond) return false;
  if (claimed.readings.length === 0) return found.readings.length === 0 && rounds(claimed.bare, found.bare);
  const isCount = claimed.readings.every(({ dimension }) => dimension === 'count' || dimension === 'bytes');
  const units = found.readings.length > 0 ? found.readings : implied;
  const others: readonly Reading[] =
    found.readings.length > 0
      ? found.readings
      : implied.map((unit) => ({ ...unit, value: found.bare.value * unit.factor, step: 0 }));
  const isShare = units.length === 0 && found.bare.value > 0 && found.bare.value < 1;
  return claimed.readings.some((one) => {
    if (one.dimension === 'count' && isCount && units.length === 0) return rounds(one, found.bare);
    if (one.dimension === 'percent' && isShare) return rounds(one, { value: found.bare.value * 100 });
    return others.some(
      (other) =>
        one.dimension === other.dimension &&
        (one.base === undefined || other.base === undefined || one.base === other.base) &&
        rounds(one, other),
    );
  });
}

/**
 * True if `other`, rounded to the digits of `one`, equals `one`. Durations may also be truncated: 17 minutes
 * and 44 seconds match 17 minutes.
 */
function rounds(
  one: Pick<Reading, 'value' | 'step'> & Partial<Unit>,
  other: Pick<Reading, 'value'>,
): boolean {
  const difference = other.value - one.value;
  const slack = Math.abs(one.value) * 1e-9;
  if ((one.value === 0) !== (other.value === 0)) return false;
  if (one.dimension === 'seconds' && difference >= 0 && difference < one.step - slack) return true;
  return Math.abs(difference) <= one.step / 2 + slack;
}
