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
