import { findAbsenceProblem, isPartial } from './absence.ts';
import { isAttribute, isFieldOfSubject, isValueOfEntry } from './attribute.ts';
import type { CallScope } from './call-scope.ts';
import { holdsValue, readTarget, type Target } from './claimed-value.ts';
import { findWhole, fold, isNamed } from './names.ts';
import { type Node, overlapping, type Place, upwards } from './node.ts';
import { createProblem, type Problem } from './problems.ts';
import { isSaid, isTimeOfLine, STATES } from './prose.ts';
import { isSample } from './record.ts';
import { isOfSubject } from './subject.ts';
import type { Claim, ClaimedFact, Source, ToolOutput, VerifiedFact } from './types.ts';

/** A citation whose quote was found, with what is known of its source. */
export interface Evidence {
  source: Source;
  output: ToolOutput | null;
  scope: CallScope | null;
  place: Place;
}

/**
 * Verifies the facts of a claim. @param evidence in the order of the citations; `null` if the quote was not
 * found
 */
export function verifyFacts(claim: Claim, evidence: readonly (Evidence | null)[]): VerifiedFact[] {
  const proofs = new Map<ClaimedFact, Proof[]>();
  const results = claim.facts.map((fact) => {
    const found = evidence[fact.citation] ?? null;
    const result =
      found === null
        ? createProblem('FACT_WITHOUT_QUOTE', piecesOf(fact))
        : verifyFact(fact, found, claim.text);
    if (Array.isArray(result)) proofs.set(fact, result);
    return Array.isArray(result) ? null : result;
  });
  const mixed = mixedFacts(proofs);
  return claim.facts.map((fact, index) => {
    const problem =
      results[index] ?? (mixed.has(fact) ? createProblem('FACT_OF_OTHER_ROW', piecesOf(fact)) : null);
    return { status: problem === null ? 'SUPPORTED' : 'UNSUPPORTED', problem };
  });
}

const piecesOf = ({ subject, attribute, value }: ClaimedFact) => [subject, attribute, value];

function verifyFact(fact: ClaimedFact, evidence: Evidence, sentence: string): Proof[] | Problem {
  const { source, output, scope, place } = evidence;
  if (output === null || scope === null) return verifySaying(fact, evidence);
  if (fact.attribute === 'absent') {
    const problem = findAbsenceProblem(fact, { output, scope, passage: place.passage, sentence });
    return problem === null ? [] : createProblem(problem.code, problem.pieces, source);
  }
  if (isPlaceOfCall(fact, evidence)) return [];
  const finding = findFact(fact, place);
  if (!finding.isShown) return createProblem(`FACT_${finding.reason}`, piecesOf(fact), source);
  const isCount = finding.proofs.every(({ field }) => field.isRow) && /^0\b/.test(fact.value);
  return isCount && isPartial(output.text) ? createProblem('ABSENCE_OUTPUT_CUT', [], source) : finding.proofs;
}

/**
 * Verifies a fact that cites the alert or the runbook. Their text proves only what they say themselves, so
 * the fact's subject must be ALERT or RUNBOOK.
 */
function verifySaying({ subject, value }: ClaimedFact, { source, place }: Evidence): Proof[] | Problem {
  const isItself = fold(subject) === fold(String(source));
  if (isItself && findWhole(place.passage, value).length > 0) return [];
  return isItself
    ? createProblem('FACT_NOT_SHOWN', [subject, value], source)
    : createProblem('ONLY_THE_ALERT_SAYS_SO');
}

const PLACES =
  /^(?:namespace|cluster|context|host|node|region|zone|project|profile|account|environment|env|datacenter|database|db)$/i;

/**
 * True if a fact only repeats where the call looked, such as its namespace, for a subject in the quote. A
 * quote with a field of that name must show the value itself.
 */
function isPlaceOfCall(
  { subject, attribute, value, negated }: ClaimedFact,
  { scope, place }: Evidence,
): boolean {
  if (negated || !PLACES.test(attribute) || /^\d*$/.test(value)) return false;
  const alias = attribute === 'cluster' ? 'context' : attribute;
  const isLookedAt = scope!.fields.some(
    ({ key, value: argument }) => [attribute, alias].includes(key) && argument === value,
  );
  const fields = [...overlapping(place.root, place)].map(({ node }) => node);
  const rows = fields.filter(({ text }) => isNamed(text, subject) || findWhole(text, subject).length > 0);
  const isNamedInRow = fields.some(({ key }) => fold(key) === fold(attribute));
  return isLookedAt && rows.length > 0 && !isNamedInRow;
}

/** Returns facts about one subject whose values come from different rows of one table, although no row has them all. */
function mixedFacts(proofs: ReadonlyMap<ClaimedFact, readonly Proof[]>): Set<ClaimedFact> {
  const mixed = new Set<ClaimedFact>();
  const facts = [...proofs].filter(([, found]) => found.length > 0);
  const isPinned = (found: readonly Proof[]) => found.every((proof) => proof.isPinned);
  for (const [fact, own] of facts) {
    const isApart = facts.some(
      ([other, found]) =>
        fold(other.subject) === fold(fact.subject) &&
        fold(other.attribute) !== fold(fact.attribute) &&
        !(isPinned(own) && isPinned(found)) &&
        !own.some((one) => found.some(({ field }) => !isOtherRow(one.field, field))),
    );
    if (isApart) mixed.add(fact);
  }
  return mixed;
}

/** True if two fields are in different rows of one list. */
function isOtherRow(one: Node, other: Node): boolean {
  const rows = new Map([...upwards(one)].filter(({ isRow }) => isRow).map((row) => [row.parent, row]));
  return [...upwards(other)].some((row) => row.isRow && rows.has(row.parent) && rows.get(row.parent) !== row);
}

interface Proof {
  field: Node;
  /**
   * True if the row of the proof itself identifies the attribute, as a metric sample does. Facts about one
   * subject may then come from different rows.
   */
  isPinned: boolean;
}

type Finding =
  | { isShown: true; proofs: Proof[] }
  | { isShown: false; reason: 'NOT_SHOWN' | 'OTHER_SUBJECT' | 'OTHER_VALUE' };

/**
 * Searches a quoted passage for a fact: for its value, in a field or clause about its attribute and its
 * subject.
 */
function findFact(fact: ClaimedFact, place: Place): Finding {
  const target = readTarget(fact);
  const found = [...overlapping(place.root, place)].filter(({ node }) => node.text !== '');
  const fields = found.map(({ node }) => node);
  const whole = new Set(found.flatMap(({ node, isWhole }) => (isWhole ? [node] : [])));
  const named = fields.filter((field) => names(fact, field, place));
  const ofSubject = named.filter((field) => isOfSubject(fact, field, place));
  const holds = (field: Node) => holdsValue(target, field, { place, isWhole: whole.has(field) });
  if (fact.negated) {
    const known = ofSubject.filter((field) => whole.has(field));
    return known.length < ofSubject.length ? NOT_SHOWN : findDenied(target, known, place);
  }
  const shown = ofSubject.filter(holds);
  if (shown.length > 0) {
    const isPinned = (field: Node) => isSample(field) || isValueOfEntry(fact.attribute, field);
    return { isShown: true, proofs: shown.map((field) => ({ field, isPinned: isPinned(field) })) };
  }
  const said = fields.filter((field) => isSaid(fact, target, field, place));
  const isPinned = !STATES.test(fact.attribute.trim()) && !isTimeOfLine(fact);
  if (said.length > 0) return { isShown: true, proofs: said.map((field) => ({ field, isPinned })) };
  if (named.some(holds)) return { isShown: false, reason: 'OTHER_SUBJECT' };
  return ofSubject.length > 0 ? { isShown: false, reason: 'OTHER_VALUE' } : NOT_SHOWN;
}

const NOT_SHOWN: Finding = { isShown: false, reason: 'NOT_SHOWN' };

/**
 * Searches for the proof of a negated fact: the fields of its attribute have known values, and none holds the
 * denied value.
 */
function findDenied(target: Target, fields: readonly Node[], place: Place): Finding {
  const isUnknown = fields.some(({ text }) => UNKNOWN.test(text.trim()));
  const isHeld = fields.some(
    (field) =>
      holdsValue(target, field, { place, isWhole: true }) || findWhole(field.text, target.text).length > 0,
  );
  if (fields.length === 0 || isUnknown) return NOT_SHOWN;
  if (isHeld) return { isShown: false, reason: 'OTHER_VALUE' };
  return { isShown: true, proofs: fields.map((field) => ({ field, isPinned: false })) };
}

const UNKNOWN = /^(?:<?(?:unknown|none|nil|null|n\/a|undefined|never)>?|-|\?)?$/i;

function names({ subject, attribute }: ClaimedFact, field: Node, { call }: Place): boolean {
  return (
    isAttribute(attribute, field, call.words) ||
    isFieldOfSubject(subject, attribute, field) ||
    isValueOfEntry(attribute, field)
  );
}
