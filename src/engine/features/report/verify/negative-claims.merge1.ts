const EDGE_BEFORE = String.raw`(?<![\p{L}\p{N}_-])`;
const EDGE_AFTER = String.raw`(?![\p{L}\p{N}_-])`;

/** Words that turn what is said into its opposite, of several languages; texts are folded first. */
const NEGATION = new RegExp(
  `${EDGE_BEFORE}(?:no|not|never|without|none|neither|nor|cannot|nothing|nobody|0 of|(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)n't|can't|won't` +
    '|kein|keine|keiner|keinen|keinem|keines|nicht|nie|niemals|ohne|pas|aucun|aucune|jamais|sans|ningún|ninguna|ninguno|nunca|sin|não|nenhum|nenhuma|geen|niet|nooit' +
    `|nessun|nessuna|senza|не|нет|без)${EDGE_AFTER}|没有|不存在|未|并非|なし|ない|ません|없`,
  'iu',
);

/** Whether a text that was folded holds a negation. */
function isNegated(text: string): boolean {
  return NEGATION.test(text);
}

/** A field whose value turns its name into the opposite. */
const DENYING_VALUE = /^'?\s*[:=]\s*'?(?:false|no|none|null|never|0|disabled|absent)(?![\p{L}\p{N}_.-])/iu;

/**
 * Whether the rest of the sentence that a quote was cut out of denies what the quote says.
 * @param before folded text before the quote, of its line @param after behind it
 */
export function isNegationCut(before: string, after: string): boolean {
  const from = before.slice(lastEnd(before, SENTENCE_BEFORE));
  const end = SENTENCE_AFTER.exec(after)?.index ?? after.length;
  return isNegated(from) || isNegated(after.slice(0, end)) || DENYING_VALUE.test(after);
}

/** Ends of sentences, cells and JSON strings. */
const SENTENCE_BEFORE = /[.!?;] |[|{}[\]]|[:,] ?'|' ?,/g;
const SENTENCE_AFTER = /[.!?;](?: |$)|[|{}[\]]|' ?[,:]/;

function lastEnd(text: string, pattern: RegExp): number {
  let end = 0;
  for (const match of text.matchAll(pattern)) end = match.index + match[0].length;
  return end;
}

/** `not ready`, `isn't ready`, `no longer ready`: what directly follows a negation. */
const DENIED =
  /(?<![\p{L}\p{N}_-])(?:not|never|cannot|no longer|\p{L}+n't|nicht)(?: (?:be|been|yet|a|an|the|any|currently|fully|longer))? ([\p{L}]{4,})/giu;

/**
 * A word that one text denies and the other says: "is ready" held against "is not ready". Null when there is none.
 * @param claim folded @param quotes folded
 */
export function differentlyDenied(claim: string, quotes: readonly string[]): string | null {
  const shown = quotes.join('\n');
  const [inClaim, inQuotes] = [deniedIn(claim), deniedIn(shown)];
  for (const word of inQuotes)
    if (says(claim, word) && !inClaim.has(word) && !isNegated(claim) && !saidPlainly(shown, word))
      return word;
  for (const word of inClaim) if (says(shown, word) && !inQuotes.has(word) && !isNegated(shown)) return word;
  return null;
}

function deniedIn(text: string): Set<string> {
  return new Set([...text.matchAll(DENIED)].map(([, word = '']) => word.toLowerCase()));
}

function says(text: string, word: string): boolean {
  return new RegExp(`(?<![\\p{L}\\p{N}_-])${word}(?![\\p{L}\\p{N}_-])`, 'iu').test(text);
}

/** Also without the negation, elsewhere. */
function saidPlainly(text: string, word: string): boolean {
  return says(text.replace(DENIED, ' '), word);
}
