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
