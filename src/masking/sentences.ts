/** Longer texts are no sentences about a secret (characters). */
const LONGEST = 300;
const FEWEST_WORDS = 3;
/** Letters, small but for the first. */
const PLAIN_WORD = /^[A-Za-z][a-z]+[,.:]?$/;
/** A part of a word, a name, a number, a time: letters of one kind, or short with few digits. */
const TAME_PART =
  /^(?:[a-z]{1,20}|(?:[A-Z][a-z]{1,20}){1,3}|[A-Z]{1,12}|\d{1,6}[a-z]{0,3}|(?=.{1,10}$)[a-z]{1,8}\d{1,4}[a-z]{0,3})?$/;
/** Words that hold sentences together; in a pass phrase there are none, or few. */
const JOINTS = new Set(
  'a after an and any are as at be been before by can cannot could did does for from had has have if in into is it its must no not of off on or should than that the their this to too was were when will with without'.split(
    ' ',
  ),
);

/**
 * Whether a text says something about a secret instead of being one: several words, the first one plain, none of them random.
 * Digits do not matter: `signature verification failed for key kid-1829`.
 * @param mayBePhrase whether such a text may be a pass phrase, so that words alone make no sentence
 */
export function isSentence(text: string, mayBePhrase: boolean): boolean {
  if (text.length > LONGEST || text.includes(';')) return false;
  const words = text.split(/\s+/);
  if (words.length < FEWEST_WORDS || !(PLAIN_WORD.test(words[0]!) || isSaidOf(words))) return false;
  if (!words.every(isTame)) return false;
  return !mayBePhrase || words.filter((word) => JOINTS.has(word.toLowerCase())).length >= 2;
}

/** Whether a name stands first of which the rest says something. */
function isSaidOf([name, ...rest]: readonly string[]): boolean {
  return /^[a-z][a-z-]*$/.test(name!) && rest.filter((word) => PLAIN_WORD.test(word)).length >= 3;
}

function isTame(word: string): boolean {
  const bare = word.replace(/^["'(<[]+|["')>\].,:;!?]+$/g, '');
  return bare.split(/[=:/@,._'-]+/).every((part) => TAME_PART.test(part));
}
