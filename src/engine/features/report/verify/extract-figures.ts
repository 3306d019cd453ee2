import { findUnits, type Unit } from './units.ts';

interface Reading extends Unit {
  value: number;
  /** Rounding tolerance: half a unit of the last written digit, in base units. */
  tolerance: number;
}

export interface Figure {
  text: string;
  readings: readonly Reading[];
}

/** True if the found figure, converted and rounded to the digits of the claim, equals the claimed one. */
export function isSameFigure(claimed: Figure, found: Figure): boolean {
  const pairs = claimed.readings.flatMap((one) =>
    found.readings.flatMap((other) => (one.dimension === other.dimension ? [[one, other] as const] : [])),
  );
  // Two figures with the same unit use the same reading: kibibytes never match kilobytes.
  const alike = pairs.filter(([one, other]) => one.factor === other.factor);
  return (alike.length > 0 ? alike : pairs).some(
    ([one, other]) =>
      Math.abs(one.value - other.value) <= one.tolerance + Math.abs(one.value) * 1e-9 &&
      (one.value === 0) === (other.value === 0),
  );
}

const NUMBER = String.raw`\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:_\d{3})+|\d+(?:[.,]\d+)?|\.\d+`;
const SINGLE = new RegExp(
  String.raw`^([~+-]{0,2})([$€£]?)(${NUMBER})(?:[eE]([+-]?\d{1,3}))?([^\d.,_/:-][^\d]{0,15})?$`,
);
const RANGE = new RegExp(String.raw`^(${NUMBER})([^\d\s.,/:-]{0,4})-(${NUMBER})([^\d]{0,12})$`);
const RATIO = new RegExp(`^(${NUMBER})/(${NUMBER})$`);
const SUM = /^(?:\d+(?:\.\d+)?(?:µs|us|ns|ms|min|hr|w|d|h|m|s)){2,6}$/;
const SUM_PART = /(\d+(?:\.\d+)?)(µs|us|ns|ms|min|hr|[wdhms])/g;
const ORDINAL = /^(\d+)(?:st|nd|rd|th)$/;
const TIMES = /^(\d+)(?:x|-?mal|-?fach|-?fold)$/;

/** Returns the figures of a word; none if it has none. @param next word after it, which may be the unit */
export function parseFigures(word: string, next: string | null): { figures: Figure[]; usedNext: boolean } {
  const single = SINGLE.exec(word);
  if (single) return singleFigure(word, single, next);
  const plain = ORDINAL.exec(word) ?? TIMES.exec(word);
  if (plain) return { figures: [unitless(plain[1]!, word)], usedNext: false };
  const ratio = RATIO.exec(word);
  if (ratio) return { figures: [unitless(ratio[1]!, word), unitless(ratio[2]!, word)], usedNext: false };
  const range = RANGE.exec(word);
  if (range) return rangeFigures(range, next);
  if (SUM.test(word)) return { figures: [sumOf(word)], usedNext: false };
  return { figures: [], usedNext: false };
}

/** Joins the parts of one duration, such as `1 h 30 min`. Returns `null` if the figures are not such parts. */
export function joinDurations(first: Figure, second: Figure): Figure | null {
  const [one, other] = [secondsOf(first), secondsOf(second)];
  if (!one || !other || one.factor <= other.factor) return null;
  return {
    text: `${first.text} ${second.text}`,
    readings: [{ ...other, value: one.value + other.value }],
  };
}

/** Adds a reading in the unit that the name of the figure's field implies, unless the figure has a unit. */
export function withFieldUnit(figure: Figure, unit: Unit): Figure {
  const [reading] = figure.readings;
  if (figure.readings.length !== 1 || reading?.dimension !== 'count') return figure;
  const { value, tolerance } = reading;
  const inUnit = { ...unit, value: value * unit.factor, tolerance: tolerance * unit.factor };
  return { ...figure, readings: [reading, inUnit] };
}

function singleFigure(word: string, match: RegExpExecArray, next: string | null) {
  const [, sign = '', currency = '', digits = '', exponent = '', attached = ''] = match;
  const { units, usedNext } = unitsAfter(currency || attached, next);
  if (units === undefined) return { figures: [], usedNext };
  const text = usedNext ? `${word} ${next}` : word;
  return { figures: [figureOf(text, digits, units, { exponent, negative: sign.includes('-') })], usedNext };
}

function rangeFigures(match: RegExpExecArray, next: string | null) {
  const [, low = '', lowUnit = '', high = '', highUnit = ''] = match;
  const { units, usedNext } = unitsAfter(highUnit, next);
  if (units === undefined) return { figures: [], usedNext };
  return {
    figures: [figureOf(low, low, findUnits(lowUnit) ?? units), figureOf(high, high, units)],
    usedNext,
  };
}

/** Returns the attached unit, else the next word if that is a unit; `undefined` if an attached unit is unknown. */
function unitsAfter(attached: string, next: string | null) {
  if (attached !== '') return { units: findUnits(attached), usedNext: false };
  const apart = next === null ? undefined : findUnits(next);
  return { units: apart ?? UNITLESS, usedNext: apart !== undefined };
}

const UNITLESS: readonly Unit[] = [{ dimension: 'count', factor: 1 }];

export function unitless(digits: string, text = digits): Figure {
  return figureOf(text, digits, UNITLESS);
}

function figureOf(
  text: string,
  digits: string,
  units: readonly Unit[],
  { exponent = '', negative = false } = {},
): Figure {
  const plain = plainDigits(digits);
  const power = 10 ** Number(exponent || 0);
  const value = Number(plain) * power * (negative ? -1 : 1);
  const decimals = plain.includes('.') ? plain.length - plain.indexOf('.') - 1 : 0;
  const tolerance = (10 ** -decimals / 2) * power;
  return {
    text,
    readings: units.map((unit) => ({
      ...unit,
      value: value * unit.factor,
      tolerance: tolerance * unit.factor,
    })),
  };
}

/** Returns digits with a decimal point. Commas before groups of three digits are removed; others become points. */
function plainDigits(digits: string): string {
  const ungrouped = digits.replaceAll('_', '');
  if (/^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/.test(ungrouped)) return ungrouped.replaceAll(',', '');
  return ungrouped.replace(',', '.');
}

function sumOf(word: string): Figure {
  let [value, tolerance, factor] = [0, 0, 1];
  for (const [, digits = '', name = ''] of word.matchAll(SUM_PART)) {
    const unit = findUnits(name)!.find(({ dimension }) => dimension === 'seconds')!;
    const part = figureOf(word, digits, [unit]).readings[0]!;
    value += part.value;
    [tolerance, factor] = [part.tolerance, unit.factor];
  }
  return { text: word, readings: [{ dimension: 'seconds', factor, value, tolerance }] };
}

const secondsOf = (figure: Figure) => figure.readings.find(({ dimension }) => dimension === 'seconds');

/** Numbers in words. Words that mean something else too are missing: articles ("one", "un"), "due", "once", "null". */
const WORDS: Readonly<Record<string, number>> = Object.fromEntries(
  [
    'zero zéro cero',
    '',
    'two zwei deux dos',
    'three drei trois tres tre',
    'four vier quatre cuatro quattro',
    'five fünf cinq cinco cinque',
    'six sechs seis',
    'seven sieben sept siete sette',
    'eight acht huit ocho otto',
    'nine neun neuf nueve nove',
    'ten zehn dix diez dieci',
    'eleven elf onze',
    'twelve zwölf douze doce',
    'thirteen dreizehn',
    'fourteen vierzehn',
    'fifteen fünfzehn quinze quince',
    'sixteen sechzehn',
    'seventeen siebzehn',
    'eighteen achtzehn',
    'nineteen neunzehn',
    'twenty zwanzig vingt veinte venti',
  ].flatMap((words, value) => words.split(' ').map((word) => [word, value])),
);

const TENS: Readonly<Record<string, number>> = Object.fromEntries(
  'thirty forty fifty sixty seventy eighty ninety hundred'.split(' ').map((word, at) => [word, 30 + 10 * at]),
);

const ONES = 'one two three four five six seven eight nine'.split(' ');

export function parseNumberWord(word: string): number | undefined {
  const lower = word.toLowerCase();
  if (lower === '') return undefined;
  const value = WORDS[lower] ?? TENS[lower];
  if (value !== undefined) return value;
  const [tens = '', ones = ''] = lower.split('-');
  const [high, low] = [tens === 'twenty' ? 20 : TENS[tens], ONES.indexOf(ones)];
  return high !== undefined && low >= 0 ? high + low + 1 : undefined;
}
