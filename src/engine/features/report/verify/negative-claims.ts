const ABSENCE = new RegExp(
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

export function claimsAbsence(claim: string): boolean {
  return ABSENCE.test(claim);
}

const NOTHING = new RegExp(
  [
    String.raw`(?<![\p{L}\p{N}_-])(?:no|not|none|nothing|never|zero|without|empty|absent|missing|unknown|kein|keine|aucun|aucune)(?![\p{L}\p{N}_-])`,
    String.raw`not ?found|does ?n't exist|nonexistent|NXDOMAIN|ENOENT|no such|\b404\b`,
    String.raw`(?<![\d.,:%-])0(?![\d.,:%-]*\d|[%xX])(?!\p{L})|\[ ?\]|\{ ?\}|\bnull\b|\bnil\b|: ?''`,
    '没有|不存在|未|ありません',
  ].join('|'),
  'iu',
);

export function reportsNothingFound(quote: string): boolean {
  return NOTHING.test(quote);
}

const TRUNCATED =
  /\[… (?:cut|shortened): \d+|\[?\.\.\. ?\(?(?:truncated|output truncated)|<truncated>|\(truncated\)|"truncated" ?: ?true/i;

/** UTF-16 code units at each end of an output that are searched for a note about truncation. */
const NOTE_WINDOW = 2000;

export function isTruncated(text: string): boolean {
  return TRUNCATED.test(text.slice(-NOTE_WINDOW)) || TRUNCATED.test(text.slice(0, NOTE_WINDOW));
}

const ABSENT =
  /(?<![\p{L}\p{N}_-])(?:no|none|without any|kein|keine|keinen|aucun|aucune|ningún|ninguna) ((?:(?!(?:of|in|on|at|for|from|with|by|to|von|im|in|de|en) )[\p{L}\p{N}_-]+ ?){1,3})/iu;
/** Captures absent things before the verb: `OOM kills did not occur`, `deployment frontend does not exist`. */
const ABSENT_BEFORE =
  /((?:[\p{L}\p{N}_-]+ ){1,3})(?:(?:is|are|was|were|does|do|did|has|have|had)(?:n't| not) (?:been )?(?:found|present|there|listed|logged|seen|defined|installed|exist|appear|occur)|no longer exists?|(?:is|are|was|were) (?:absent|missing)|not found)(?![\p{L}\p{N}_-])/iu;
const EMPTY_WORDS =
  /^(?:longer|such|more|other|of|the|in|on|at|for|was|were|is|are|has|have|been|any|new|recent|found|present|there|listed|logged|seen|sign|signs|evidence|trace|further|relevant|matching|resources?|results?|entries|entry|lines?|logs?)$/i;

/** Returns the words that name what a claim says is absent: `no OOM events` → oom, events. */
export function absentWords(claim: string): string[] {
  const words = (ABSENT.exec(claim) ?? ABSENT_BEFORE.exec(claim))?.[1]?.trim().split(' ') ?? [];
  return words.filter((word) => word.length > 2 && !EMPTY_WORDS.test(word)).map((word) => word.toLowerCase());
}

/** True if a lower-case text contains the first 3–6 letters of a word, so that other forms of the word match too. */
export function mentions(text: string, word: string): boolean {
  return text.includes(word.slice(0, Math.max(3, Math.min(6, word.length - 1))));
}

const EDGE_BEFORE = String.raw`(?<![\p{L}\p{N}_-])`;
const EDGE_AFTER = String.raw`(?![\p{L}\p{N}_-])`;

const NEGATION = new RegExp(
  `${EDGE_BEFORE}(?:no|not|never|without|none|neither|nor|cannot|nothing|nobody|0 of|(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)n't|can't|won't` +
    '|kein|keine|keiner|keinen|keinem|keines|nicht|nie|niemals|ohne|pas|aucun|aucune|jamais|sans|ningún|ninguna|ninguno|nunca|sin|não|nenhum|nenhuma|geen|niet|nooit' +
    `|nessun|nessuna|senza|не|нет|без)${EDGE_AFTER}|没有|不存在|未|并非|なし|ない|ません|없`,
  'iu',
);

/** Matches the value of a field that negates its name, such as `: false`. */
const DENYING_VALUE = /^'?\s*[:=]\s*'?(?:false|no|none|null|never|0|disabled|absent)(?![\p{L}\p{N}_.-])/iu;

/** True if the rest of the sentence around a quote negates it. @param before normalized line before the quote */
export function omitsNegation(before: string, after: string): boolean {
  const boundary = [...before.matchAll(SENTENCE_BEFORE)].at(-1);
  const from = before.slice(boundary ? boundary.index + boundary[0].length : 0);
  const end = SENTENCE_AFTER.exec(after)?.index ?? after.length;
  return NEGATION.test(from) || NEGATION.test(after.slice(0, end)) || DENYING_VALUE.test(after);
}

const SENTENCE_BEFORE = /[.!?;] |[|{}[\]]|[:,] ?'|' ?,/g;
const SENTENCE_AFTER = /[.!?;](?: |$)|[|{}[\]]|' ?[,:]/;

/** Captures the word after a negation: `not ready`, `isn't ready`, `no longer ready`. */
const DENIED =
  /(?<![\p{L}\p{N}_-])(?:not|never|cannot|no longer|\p{L}+n't|nicht)(?: (?:be|been|yet|a|an|the|any|currently|fully|longer))? ([\p{L}]{4,})/giu;

/** Returns a word that one text negates and the other affirms ("is ready", "is not ready"); `null` if there is none. */
export function findNegationMismatch(claim: string, quotes: readonly string[]): string | null {
  const quoted = quotes.join('\n');
  const affirmed = quoted.replace(DENIED, ' ');
  const [inClaim, inQuotes] = [negatedWords(claim), negatedWords(quoted)];
  const differs = (word: string) => {
    if (inClaim.has(word)) return says(quoted, word) && !inQuotes.has(word) && !NEGATION.test(quoted);
    return says(claim, word) && !NEGATION.test(claim) && !says(affirmed, word);
  };
  return [...inQuotes, ...inClaim].find(differs) ?? null;
}

function negatedWords(text: string): Set<string> {
  return new Set([...text.matchAll(DENIED)].map(([, word = '']) => word.toLowerCase()));
}

function says(text: string, word: string): boolean {
  return new RegExp(`(?<![\\p{L}\\p{N}_-])${word}(?![\\p{L}\\p{N}_-])`, 'iu').test(text);
}
