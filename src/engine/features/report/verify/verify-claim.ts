import { type Evidence, extractFacts, type Facts, pairNamesWithFacts } from './extract-facts.ts';
import { isSameFigure } from './extract-figures.ts';
import { isEntityName, isNameAmong } from './extract-names.ts';
import { isSameTime } from './extract-times.ts';
import {
  absentWords,
  claimsAbsence,
  findNegationMismatch,
  isTruncated,
  mentions,
  reportsNothingFound,
} from './negative-claims.ts';
import { normalizedString } from './normalize-text.ts';
import { createProblem, type Problem } from './problems.ts';
import type { Claim, Source, ToolOutput } from './types.ts';

export interface Proof {
  source: Source;
  quote: string;
  evidence: Evidence;
  /** Independent lines of the quote, or the whole quote: a name and a figure must be in the same part. */
  parts: readonly Evidence[];
  /** Facts from the arguments of the cited tool call; `null` if the source is the alert or the runbook. */
  request: Evidence | null;
  output: ToolOutput | null;
  omitsNegation: boolean;
}

/** Returns the problems of a claim whose citations hold, most important first, and whether an absence is not proven. */
export function verifyClaim(
  claim: Claim,
  proofs: readonly Proof[],
): { problems: Problem[]; isUnprovenAbsence: boolean } {
  const text = normalizedString(withoutCitations(claim));
  const facts = withMarkedNames(extractFacts(text), claim.text);
  const quoted = proofs.map(({ evidence }) => evidence.text);
  const mismatch = findNegationMismatch(text, quoted);
  const absence = claim.absence || claimsAbsence(text) ? unprovenAbsence(text, facts, proofs) : null;
  const problems = [
    ...proofs
      .filter((proof) => proof.omitsNegation)
      .map(({ quote, source }) => createProblem('NEGATION_CUT', [quote], source)),
    ...(mismatch === null || absence !== null ? [] : [createProblem('NEGATION_DIFFERS', [mismatch])]),
    ...(absence === null ? [] : [absence]),
    ...unquotedFacts(facts, proofs),
    ...misattributedFigures(text, facts, proofs),
    ...onlyAlertProblem(text, proofs),
  ];
  return { problems, isUnprovenAbsence: absence !== null };
}

/** Removes citations such as `[T12]`. A number without brackets stays if it is not cited: `T4` may be a GPU. */
function withoutCitations({ text, citations }: Claim): string {
  const cited = new Set(citations.map(({ source }) => `T${source}`));
  return text
    .replace(/\[(?:(?:T\d{1,9}|ALERT|RUNBOOK)[\s,;]*){1,20}\]|\(T\d{1,9}(?:, ?T\d{1,9}){0,20}\)/g, ' ')
    .replace(/\bT\d{1,9}\b/g, (number) => (cited.has(number) ? ' ' : number));
}

function withMarkedNames(facts: Facts, raw: string): Facts {
  const marked = [...raw.matchAll(/`([^`\n]{1,200})`/g)].map(([, word = '']) => normalizedString(word));
  const more = marked.filter(
    (word) => /^[\p{L}_][\p{L}\p{N}_.\-/:@]*$/u.test(word) && facts.names.every(({ text }) => text !== word),
  );
  return { ...facts, names: [...facts.names, ...more.map((word) => ({ text: word, start: -1 }))] };
}

function unquotedFacts(facts: Facts, proofs: readonly Proof[]): Problem[] {
  const figures = facts.figures.filter((figure) => !proofs.some((proof) => showsFigure(proof, figure)));
  const times = facts.times.filter((time) => !proofs.some((proof) => showsTime(proof, time)));
  const names = facts.names.filter(({ text }) => !proofs.some((proof) => showsName(proof, text)));
  return [
    ...(figures.length === 0 ? [] : [createProblem('FIGURE_NOT_QUOTED', distinct(figures))]),
    ...(times.length === 0 ? [] : [createProblem('TIME_NOT_QUOTED', distinct(times))]),
    ...(names.length === 0 ? [] : [createProblem('NAME_NOT_QUOTED', distinct(names))]),
  ];
}

const distinct = (facts: readonly { text: string }[]) =>
  [...new Set(facts.map(({ text }) => text))].slice(0, 5);

function misattributedFigures(text: string, facts: Facts, proofs: readonly Proof[]): Problem[] {
  const isShown = (name: string) => proofs.some((proof) => showsName(proof, name));
  const isEntity = ({ start, text }: Facts['names'][number]) =>
    start >= 0 && isEntityName(text) && isShown(text);
  const parts = proofs.flatMap((proof) => proof.parts.map((evidence) => ({ ...proof, evidence })));
  const pairs = pairNamesWithFacts(text, facts.names.filter(isEntity), [...facts.figures, ...facts.times]);
  return pairs.flatMap(({ names, quantities }) => {
    const unrelated = quantities.filter((fact) => {
      const shows = (proof: Proof) => ('zone' in fact ? showsTime(proof, fact) : showsFigure(proof, fact));
      const relates = (part: Proof) => shows(part) && names.some((name) => showsName(part, name));
      return proofs.some(shows) && !parts.some(relates);
    });
    return unrelated.map((fact) => createProblem('FIGURE_OF_OTHER_NAME', [fact.text, names[0]!]));
  });
}

function showsFigure({ evidence, request }: Proof, figure: Facts['figures'][number]): boolean {
  const same = (found: Evidence['figures'][number]) => isSameFigure(figure, found);
  return (
    evidence.figures.some(same) || (request?.figures.some(same) ?? false) || evidence.names.has(figure.text)
  );
}

function showsTime({ evidence, request }: Proof, time: Facts['times'][number]): boolean {
  return [...evidence.times, ...(request?.times ?? [])].some((found) => isSameTime(time, found));
}

function showsName({ evidence, request }: Proof, name: string, exactly = false): boolean {
  return (
    isNameAmong(name, evidence.names, { exactly }) ||
    (request !== null && isNameAmong(name, request.names, { exactly }))
  );
}

/** Returns a problem if only the alert or the runbook is cited: they prove only statements about themselves. */
function onlyAlertProblem(text: string, proofs: readonly Proof[]): Problem[] {
  const isFromTools = proofs.some(({ output }) => output !== null);
  return proofs.length === 0 || isFromTools || CITES_ALERT.test(text)
    ? []
    : [createProblem('ONLY_THE_ALERT_SAYS_SO')];
}

const CITES_ALERT =
  /\b(?:alert|alarm|runbook|alerte|alerta)\b.{0,40}\b(?:says?|said|states?|reports?|reported|names?|tells?|gives?|mentions?|lists?|claims?|shows?|fired|meldet|sagt|nennt|indique|signale|dice|indica|reporta|asks?|recommends?|advises?)\b|\b(?:according to|as per|laut|selon|según) (?:the |this |dem |der |l'|la )?(?:alert|alarm|runbook|alerte|alerta)/i;

/** Returns `null` if a complete result says that there is nothing, and its call looked for all that the claim names. */
function unprovenAbsence(text: string, facts: Facts, proofs: readonly Proof[]): Problem | null {
  const negative = proofs.filter(
    ({ evidence, output }) => reportsNothingFound(evidence.text) || output?.notFound === true,
  );
  if (negative.length === 0) return createProblem('ABSENCE_NOT_SAID');
  const whole = negative.filter(({ output }) => output === null || !isTruncated(output.text));
  if (whole.length === 0) return createProblem('ABSENCE_OUTPUT_CUT', [], negative[0]!.source);
  const missing = whole.map((proof) => unsearchedTerms(text, facts, proof));
  if (missing.some((pieces) => pieces.length === 0)) return null;
  return createProblem('ABSENCE_NOT_LOOKED_FOR', missing[0]);
}

function unsearchedTerms(text: string, facts: Facts, proof: Proof): string[] {
  const { evidence, request, output } = proof;
  // A failed call did not answer its request, so its result must name what is absent. The word "error" does not count.
  const isAnswer = output?.succeeded !== false;
  const quoted = evidence.text.toLowerCase();
  const searched = isAnswer
    ? `${quoted} ${request?.text.toLowerCase() ?? ''}`
    : quoted.replaceAll('error', ' ');
  const absent = absentWords(text);
  const words = absent.length > 0 || isAnswer ? absent : facts.names.map(({ text }) => text.toLowerCase());
  const missing = [
    ...facts.names.filter((name) => !showsName(proof, name.text, true)),
    ...facts.figures.filter((figure) => !showsFigure(proof, figure)),
    ...facts.times.filter((time) => !showsTime(proof, time)),
  ];
  const isSearched = (isAnswer && words.length === 0) || words.some((word) => mentions(searched, word));
  return [...distinct(missing), ...(isSearched ? [] : [words.join(' ')])];
}
