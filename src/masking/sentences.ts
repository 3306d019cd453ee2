/** Limit of a sentence about a secret (characters). */
const LONGEST = 300;
const FEWEST_WORDS = 3;
/** Matches a word in lower case, except for its first letter. */
const PLAIN_WORD = /^[A-Za-z][a-z]+[,.:]?$/;
/** Matches a part of a word, name, number or time: letters of one case, or short with few digits. */
const ORDINARY_PART =
  /^(?:[a-z]{1,20}|(?:[A-Z][a-z]{1,20}){1,3}|[A-Z]{1,12}|\d{1,6}[a-z]{0,3}|(?=.{1,10}$)[a-z]{1,8}\d{1,4}[a-z]{0,3})?$/;
/** Function words, which are frequent in sentences and rare in pass phrases. */
const FUNCTION_WORDS = new Set(
  'a after an and any are as at be been before by can cannot could did does for from had has have if in into is it its must no not of off on or should than that the their this to too was were when will with without'.split(
    ' ',
  ),
);

/**
 * True if a text describes a secret instead of being one: several words, a plain first one and no random one. Digits are
 * allowed: `signature verification failed for key kid-1829`.
 * @param mayBePhrase true if the text may be a pass phrase, so that function words are required
 */
export function isSentence(text: string, mayBePhrase: boolean): boolean {
  if (text.length > LONGEST || text.includes(';')) return false;
  const words = text.split(/\s+/);
  if (words.length < FEWEST_WORDS || !(PLAIN_WORD.test(words[0]!) || startsWithName(words))) return false;
  if (!words.every(isOrdinary)) return false;
  return !mayBePhrase || words.filter((word) => FUNCTION_WORDS.has(word.toLowerCase())).length >= 2;
}

/** True if a text starts with a name that the rest describes. */
function startsWithName([name, ...rest]: readonly string[]): boolean {
  return /^[a-z][a-z-]*$/.test(name!) && rest.filter((word) => PLAIN_WORD.test(word)).length >= 3;
}

function isOrdinary(word: string): boolean {
  const bare = word.replace(/^["'(<[]+|["')>\].,:;!?]+$/g, '');
  return bare.split(/[=:/@,._'-]+/).every((part) => ORDINARY_PART.test(part));
}
