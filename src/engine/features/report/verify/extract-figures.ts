import { type Unit, unitNamed } from './units.ts';

/** One way to read a figure. */
interface Reading extends Unit {
  value: number;
  /** Half of the last digit written, in the reading's unit. */
  half: number;
}

/** A quantity in a text. */
export interface Figure {
  /** As it is written. */
  text: string;
  readings: readonly Reading[];
}

/** Whether the figure of a claim is what was found: rounded to the digits that the claim gives, in whatever unit of the dimension. */
export function isSameFigure(claimed: Figure, found: Figure): boolean {
  const pairs = claimed.readings.flatMap((one) =>
    found.readings.flatMap((other) => (one.dimension === other.dimension ? [[one, other] as const] : [])),
  );
  // Written with the same unit, both are read in the same way: no kibibytes against kilobytes.
  const alike = pairs.filter(([one, other]) => one.factor === other.factor);
  return (alike.length > 0 ? alike : pairs).some(
    ([one, other]) =>
      Math.abs(one.value - other.value) <= one.half + Math.abs(one.value) * 1e-9 &&
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

/** What a word with digits says as quantities; empty = it is none. @param next the word after it, for units that stand apart */
export function figuresOf(word: string, next: string | null): { figures: Figure[]; tookNext: boolean } {
  const single = SINGLE.exec(word);
  if (single) return singleFigure(word, single, next);
  const plain = ORDINAL.exec(word) ?? TIMES.exec(word);
  if (plain) return { figures: [bare(plain[1]!, word)], tookNext: false };
  const ratio = RATIO.exec(word);
  if (ratio) return { figures: [bare(ratio[1]!, word), bare(ratio[2]!, word)], tookNext: false };
  const range = RANGE.exec(word);
  if (range) return rangeFigures(range, next);
  if (SUM.test(word)) return { figures: [sumOf(word)], tookNext: false };
  return { figures: [], tookNext: false };
}

/** Several durations that stand apart and are one: `1 h 30 min`. Null when they are not. */
export function joined(first: Figure, second: Figure): Figure | null {
  const [one, other] = [secondsOf(first), secondsOf(second)];
  if (!one || !other || one.factor <= other.factor) return null;
  const reading = { ...other, value: one.value + other.value };
  return { text: `${first.text} ${second.text}`, readings: [reading] };
}

/** Reads a bare figure also as what its field's name says. */
export function inUnit(figure: Figure, unit: Unit): Figure {
  const [reading] = figure.readings;
  if (figure.readings.length !== 1 || reading?.dimension !== 'count') return figure;
  const { value, half } = reading;
  return {
    ...figure,
    readings: [reading, { ...unit, value: value * unit.factor, half: half * unit.factor }],
  };
}

function singleFigure(word: string, match: RegExpExecArray, next: string | null) {
  const [, sign = '', currency = '', digits = '', exponent = '', attached = ''] = match;
  const negative = sign.includes('-');
  const own = unitNamed(currency || attached);
  if (attached !== '' && currency === '' && own === undefined) return { figures: [], tookNext: false };
  const apart = attached === '' && currency === '' && next !== null ? unitNamed(next) : undefined;
  const units = own ?? apart ?? BARE;
  const text = apart ? `${word} ${next}` : word;
  return { figures: [figureOf(text, digits, exponent, units, negative)], tookNext: apart !== undefined };
}

function rangeFigures(
  [, low = '', lowUnit = '', high = '', highUnit = '']: RegExpExecArray,
  next: string | null,
) {
  const attached = highUnit === '' ? undefined : unitNamed(highUnit);
  if (highUnit !== '' && attached === undefined) return { figures: [], tookNext: false };
  const apart = highUnit === '' && next !== null ? unitNamed(next) : undefined;
  const units = attached ?? apart ?? BARE;
  const lowUnits = lowUnit === '' ? units : (unitNamed(lowUnit) ?? units);
  return {
    figures: [figureOf(low, low, '', lowUnits, false), figureOf(high, high, '', units, false)],
    tookNext: apart !== undefined,
  };
}

const BARE: readonly Unit[] = [{ dimension: 'count', factor: 1 }];

/** A number without a unit. */
export function bare(digits: string, text = digits): Figure {
  return figureOf(text, digits, '', BARE, false);
}

function figureOf(
  text: string,
  digits: string,
  exponent: string,
  units: readonly Unit[],
  negative: boolean,
): Figure {
  const plain = plainDigits(digits);
  const power = 10 ** Number(exponent || 0);
  const value = Number(plain) * power * (negative ? -1 : 1);
  const decimals = plain.includes('.') ? plain.length - plain.indexOf('.') - 1 : 0;
  const half = (10 ** -decimals / 2) * power;
  return {
    text,
    readings: units.map((unit) => ({ ...unit, value: value * unit.factor, half: half * unit.factor })),
  };
}

/** A comma before exactly three digits parts thousands, any other one decimals. */
function plainDigits(digits: string): string {
  const ungrouped = digits.replaceAll('_', '');
  if (/^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/.test(ungrouped)) return ungrouped.replaceAll(',', '');
  return ungrouped.replace(',', '.');
}

function sumOf(word: string): Figure {
  let [value, half, factor] = [0, 0, 1];
  for (const [, digits = '', name = ''] of word.matchAll(SUM_PART)) {
    const unit = unitNamed(name)!.find(({ dimension }) => dimension === 'seconds')!;
    const part = figureOf(word, digits, '', [unit], false).readings[0]!;
    value += part.value;
    [half, factor] = [part.half, unit.factor];
  }
  return { text: word, readings: [{ dimension: 'seconds', factor, value, half }] };
}

const secondsOf = (figure: Figure) => figure.readings.find(({ dimension }) => dimension === 'seconds');

/** Numbers in words. Left out: what is mostly an article ("one", "un") or another language's word ("due", "once", "null"). */
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

const TENS: Readonly<Record<string, number>> = {
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  seventy: 70,
  eighty: 80,
  ninety: 90,
  hundred: 100,
};

const ONES = 'one two three four five six seven eight nine'.split(' ');

/** The value of a number that is written as a word, such as `twenty-one`; undefined = it is none. */
export function numberNamed(word: string): number | undefined {
  const lower = word.toLowerCase();
  if (lower === '') return undefined;
  const value = WORDS[lower] ?? TENS[lower];
  if (value !== undefined) return value;
  const [tens = '', ones = ''] = lower.split('-');
  const [high, low] = [tens === 'twenty' ? 20 : TENS[tens], ONES.indexOf(ones)];
  return high !== undefined && low >= 0 ? high + low + 1 : undefined;
}
