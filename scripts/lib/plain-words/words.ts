/** Matches words that open a sentence without naming its subject. */
const OPENINGS = /^(?:(?:What|Who|Whoever|Whose|Whether|Of|That|Those|It|Its)\b|…)/;

/** Matches words for which the glossary names a plainer word. */
const WORDS =
  /\b(?:anew|shall|who(?:so)?ever|likewise|all the same|(?:cannot|could not|can) be had|told of|go(?:es|ing)? on|went on|br(?:eaks?|oke|oken|eaking) off|such a one|(?:of|by) which|somebody|nobody)\b/i;

/** A text of a file. `at` is its position in the file (UTF-16 code units). */
export interface Passage {
  at: number;
  prose: string;
}

/** True if a statement opens without naming its subject, or a sentence has a word that the glossary replaces. */
function isUnclear(sentence: string): boolean {
  return (OPENINGS.test(sentence) && !sentence.endsWith('?')) || WORDS.test(sentence);
}

/** Returns the unclear sentences of texts. Code in backticks, and a quoted word, count as one word. */
export function unclearSentences(passages: readonly Passage[]): Passage[] {
  return passages.flatMap(({ at, prose }) =>
    sentencesOf(prose)
      .filter(isUnclear)
      .map((sentence) => ({ at, prose: sentence })),
  );
}

function sentencesOf(prose: string): string[] {
  const paragraphs = prose
    .replace(/`[^`]*`|"\w+"/g, 'code')
    .replace(/^@(?:param|returns|throws)\s/gm, '\n\n');
  return paragraphs.split(/\n\s*\n/).flatMap((text) =>
    text
      .replace(/\s+/g, ' ')
      .trim()
      .split(/(?<=[.!?])\s+/),
  );
}
