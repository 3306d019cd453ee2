/** The plain forms in which claims say that something is not there. */
const FORMS = new RegExp(
  [
    String.raw`\bthere(?:'s| is| are| was| were| has been| have been) (?:no|none|nothing)\b`,
    String.raw`(?:^|[,;:.] ?|\b(?:shows?|has|have|had|holds?|contains?|with|found|returned|lists?|and|but) )no [\p{L}\p{N}]`,
    String.raw`\b(?:does|do|did)(?:n't| not) (?:exist|appear|occur|contain|have any|show any|log any|include)\b`,
    String.raw`\b(?:was|were|is|are|be)(?:n't| not) (?:found|present|there|listed|logged|seen|defined|installed)\b`,
    String.raw`\bnot found\b|\bno longer exists?\b|\b(?:is|are|was|were) (?:absent|missing)\b|\bnone of\b|\bnothing\b|\bwithout any\b`,
    String.raw`\bes g(?:ibt|ab) kein|\bkeine?[rnms]? .{0,60}(?:gefunden|vorhanden)|\bexistier(?:t|en) nicht|\bnicht (?:gefunden|vorhanden)|(?:^|[.;:,] )keine?[rnms]? `,
    String.raw`\bil n'y a (?:pas|aucun)|\baucune? |\bn'existe pas|\bintrouvable`,
    String.raw`\bno hay\b|\bno existen?\b|\bno se encontr|\bning[uú]n`,
    'nessun|não (?:há|existe)|没有|不存在|未发现|未找到|ありません|存在しない|見つかりません',
  ].join('|'),
  'iu',
);

/** Whether a claim says that something is not there. @param claim folded */
export function saysAbsence(claim: string): boolean {
  return FORMS.test(claim);
}

/** How tools say that they found nothing. */
const NOTHING = new RegExp(
  [
    String.raw`(?<![\p{L}\p{N}_-])(?:no|not|none|nothing|never|zero|without|empty|absent|missing|unknown|kein|keine|aucun|aucune)(?![\p{L}\p{N}_-])`,
    String.raw`not ?found|does ?n't exist|nonexistent|NXDOMAIN|ENOENT|no such|\b404\b`,
    String.raw`(?<![\d.,:%-])0(?![\d.,:%-]*\d|[%xX])(?!\p{L})|\[ ?\]|\{ ?\}|\bnull\b|\bnil\b|: ?''`,
    '没有|不存在|未|ありません',
  ].join('|'),
  'iu',
);

/** Whether a quote says that there is nothing. @param quote folded */
export function saysNothingThere(quote: string): boolean {
  return NOTHING.test(quote);
}

/** The note that a cut result ends with, ours or a tool's. */
const CUT =
  /\[… (?:cut|shortened): \d+|\[?\.\.\. ?\(?(?:truncated|output truncated)|<truncated>|\(truncated\)|"truncated" ?: ?true/i;

/** UTF-16 code units at both ends of an output in which such a note would stand. */
const CUT_WINDOW = 2000;

/** Whether a result is known not to be whole. */
export function isCut(text: string): boolean {
  return CUT.test(text.slice(-CUT_WINDOW)) || CUT.test(text.slice(0, CUT_WINDOW));
}

const ABSENT =
  /(?<![\p{L}\p{N}_-])(?:no|none|without any|kein|keine|keinen|aucun|aucune|ningún|ninguna) ((?:(?!(?:of|in|on|at|for|from|with|by|to|von|im|in|de|en) )[\p{L}\p{N}_-]+ ?){1,3})/iu;
/** … that stands before it: `OOM kills did not occur`, `deployment frontend does not exist`. */
const ABSENT_BEFORE =
  /((?:[\p{L}\p{N}_-]+ ){1,3})(?:(?:is|are|was|were|does|do|did|has|have|had)(?:n't| not) (?:been )?(?:found|present|there|listed|logged|seen|defined|installed|exist|appear|occur)|no longer exists?|(?:is|are|was|were) (?:absent|missing)|not found)(?![\p{L}\p{N}_-])/iu;
/** Words that say nothing of what is looked for. */
const EMPTY_WORDS =
  /^(?:longer|such|more|other|of|the|in|on|at|for|was|were|is|are|has|have|been|any|new|recent|found|present|there|listed|logged|seen|sign|signs|evidence|trace|further|relevant|matching|resources?|results?|entries|entry|lines?|logs?)$/i;

/** The words that say what is not there: `no OOM events` → oom, events. @param claim folded */
export function absentWords(claim: string): string[] {
  const words = (ABSENT.exec(claim) ?? ABSENT_BEFORE.exec(claim))?.[1]?.trim().split(' ') ?? [];
  return words.filter((word) => word.length > 2 && !EMPTY_WORDS.test(word)).map((word) => word.toLowerCase());
}

/** Whether a word is in a text, in whatever form: by its beginning. @param text in lower case */
export function isSaidIn(text: string, word: string): boolean {
  return text.includes(word.slice(0, Math.max(3, Math.min(6, word.length - 1))));
}

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
