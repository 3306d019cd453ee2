import { clausesOf, type Facts, factsOf, type Shown } from './extract-facts.ts';
import { isSameFigure } from './extract-figures.ts';
import { isNameAmong, isThing } from './extract-names.ts';
import { isSameTime } from './extract-times.ts';
import {
  absentWords,
  differentlyDenied,
  isCut,
  isSaidIn,
  saysAbsence,
  saysNothingThere,
} from './negative-claims.ts';
import { foldText } from './normalize-text.ts';
import { problem } from './problems.ts';
import type { Claim, Problem, Source, ToolOutput } from './types.ts';

/** A citation that holds, as proof. */
export interface Proof {
  source: Source;
  /** As the model gave it. */
  quote: string;
  shown: Shown;
  /** What can be said of one another in it: lines that speak for themselves, or the whole. */
  together: readonly Shown[];
  /** What the call was asked; null: no call. */
  asked: Shown | null;
  output: ToolOutput | null;
  isNegationCut: boolean;
}

/** What keeps a claim whose citations hold from being supported, in the order in which it is worth being told. */
export interface Judgement {
  problems: Problem[];
  /** It says that something is not there, and that is not proven. */
  isUnprovenAbsence: boolean;
}

export function judge(claim: Claim, proofs: readonly Proof[]): Judgement {
  const text = foldText(withoutNumbers(claim));
  const facts = withMarked(factsOf(text), claim.text);
  const denied = differentlyDenied(
    text,
    proofs.map(({ shown }) => shown.text),
  );
  const absence = claim.absence || saysAbsence(text) ? unprovenAbsence(text, facts, proofs) : null;
  const problems = [
    ...proofs
      .filter((proof) => proof.isNegationCut)
      .map(({ quote, source }) => problem('NEGATION_CUT', [quote], source)),
    ...(denied === null || absence !== null ? [] : [problem('NEGATION_DIFFERS', [denied])]),
    ...(absence === null ? [] : [absence]),
    ...notQuoted(facts, proofs),
    ...ofOtherName(text, facts, proofs),
    ...onlyTheAlert(text, proofs),
  ];
  return { problems, isUnprovenAbsence: absence !== null };
}

/** Numbers of results are not part of what is claimed; without brackets one that is not cited is a name, such as that of a GPU. */
function withoutNumbers({ text, citations }: Claim): string {
  const cited = new Set(citations.map(({ source }) => `T${source}`));
  return text
    .replace(/\[(?:(?:T\d{1,9}|ALERT|RUNBOOK)[\s,;]*){1,20}\]|\(T\d{1,9}(?:, ?T\d{1,9}){0,20}\)/g, ' ')
    .replace(/\bT\d{1,9}\b/g, (number) => (cited.has(number) ? ' ' : number));
}

/** Besides what looks like a name: what the claim itself marks as one, with backticks. */
function withMarked(facts: Facts, raw: string): Facts {
  const marked = [...raw.matchAll(/`([^`\n]{1,200})`/g)].map(([, word = '']) => foldText(word));
  const more = marked.filter(
    (word) => /^[\p{L}_][\p{L}\p{N}_.\-/:@]*$/u.test(word) && facts.names.every(({ text }) => text !== word),
  );
  return { ...facts, names: [...facts.names, ...more.map((word) => ({ text: word, start: -1 }))] };
}

function notQuoted(facts: Facts, proofs: readonly Proof[]): Problem[] {
  const figures = facts.figures.filter((figure) => !proofs.some((proof) => showsFigure(proof, figure)));
  const times = facts.times.filter((time) => !proofs.some((proof) => showsTime(proof, time)));
  const names = facts.names.filter(({ text }) => !proofs.some((proof) => showsName(proof, text)));
  return [
    ...(figures.length === 0 ? [] : [problem('FIGURE_NOT_QUOTED', distinct(figures))]),
    ...(times.length === 0 ? [] : [problem('TIME_NOT_QUOTED', distinct(times))]),
    ...(names.length === 0 ? [] : [problem('NAME_NOT_QUOTED', distinct(names))]),
  ];
}

const distinct = (facts: readonly { text: string }[]) =>
  [...new Set(facts.map(({ text }) => text))].slice(0, 5);

/** Figures that no citation shows together with what the claim says them of. */
function ofOtherName(text: string, facts: Facts, proofs: readonly Proof[]): Problem[] {
  const isShown = (name: string) => proofs.some((proof) => showsName(proof, name));
  const things = facts.names.filter((name) => name.start >= 0 && isThing(name.text) && isShown(name.text));
  const pairs = clausesOf(text, things, [...facts.figures, ...facts.times]);
  return pairs.flatMap(({ of, said }) => {
    const apart = said.filter((fact) => {
      const shows = (proof: Proof) => ('zone' in fact ? showsTime(proof, fact) : showsFigure(proof, fact));
      const parts = proofs.flatMap((proof) => proof.together.map((shown) => ({ ...proof, shown })));
      return (
        proofs.some(shows) && !parts.some((part) => shows(part) && of.some((name) => showsName(part, name)))
      );
    });
    return apart.map((fact) => problem('FIGURE_OF_OTHER_NAME', [fact.text, of[0]!]));
  });
}

function showsFigure({ shown, asked }: Proof, figure: Facts['figures'][number]): boolean {
  const same = (found: Shown['figures'][number]) => isSameFigure(figure, found);
  return shown.figures.some(same) || (asked?.figures.some(same) ?? false) || shown.names.has(figure.text);
}

function showsTime({ shown, asked }: Proof, time: Facts['times'][number]): boolean {
  return [...shown.times, ...(asked?.times ?? [])].some((found) => isSameTime(time, found));
}

function showsName({ shown, asked }: Proof, name: string, exactly = false): boolean {
  return (
    isNameAmong(name, shown.names, { exactly }) ||
    (asked !== null && isNameAmong(name, asked.names, { exactly }))
  );
}

/** What the alert and the runbook say proves that they say it, and nothing else. */
function onlyTheAlert(text: string, proofs: readonly Proof[]): Problem[] {
  const isFromTools = proofs.some(({ output }) => output !== null);
  return proofs.length === 0 || isFromTools || SAYS_WHO.test(text) ? [] : [problem('ONLY_THE_ALERT_SAYS_SO')];
}

const SAYS_WHO =
  /\b(?:alert|alarm|runbook|alerte|alerta)\b.{0,40}\b(?:says?|said|states?|reports?|reported|names?|tells?|gives?|mentions?|lists?|claims?|shows?|fired|meldet|sagt|nennt|indique|signale|dice|indica|reporta|asks?|recommends?|advises?)\b|\b(?:according to|as per|laut|selon|según) (?:the |this |dem |der |l'|la )?(?:alert|alarm|runbook|alerte|alerta)/i;

/** Null when one citation proves it: of a call that looked for all that the claim names, whose whole result says that it is not there. */
function unprovenAbsence(text: string, facts: Facts, proofs: readonly Proof[]): Problem | null {
  const saying = proofs.filter(
    ({ shown, output }) => saysNothingThere(shown.text) || output?.notFound === true,
  );
  if (saying.length === 0) return problem('ABSENCE_NOT_SAID');
  const whole = saying.filter(({ output }) => output === null || !isCut(output.text));
  if (whole.length === 0) return problem('ABSENCE_OUTPUT_CUT', [], saying[0]!.source);
  const missing = whole.map((proof) => notLookedFor(text, facts, proof));
  if (missing.some((pieces) => pieces.length === 0)) return null;
  return problem('ABSENCE_NOT_LOOKED_FOR', missing[0]);
}

function notLookedFor(text: string, facts: Facts, proof: Proof): string[] {
  const { shown, asked, output } = proof;
  // A call that failed answered nothing of what it was asked: it has to name by itself what is not there. That it is an error does not.
  const isAnswer = output?.succeeded !== false;
  const quoted = shown.text.toLowerCase();
  const said = isAnswer ? `${quoted} ${asked?.text.toLowerCase() ?? ''}` : quoted.replaceAll('error', ' ');
  const absent = absentWords(text);
  const words = absent.length > 0 || isAnswer ? absent : facts.names.map(({ text }) => text.toLowerCase());
  const missing = [
    ...facts.names.filter((name) => !showsName(proof, name.text, true)),
    ...facts.figures.filter((figure) => !showsFigure(proof, figure)),
    ...facts.times.filter((time) => !showsTime(proof, time)),
  ];
  const isAsked = (isAnswer && words.length === 0) || words.some((word) => isSaidIn(said, word));
  return [...distinct(missing), ...(isAsked ? [] : [words.join(' ')])];
}
