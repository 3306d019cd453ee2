import { findAbsenceProblem, isPartial } from './absence.ts';
import type { CallScope } from './call-scope.ts';
import { findFact, type Proof } from './find-fact.ts';
import { findWhole, fold, isNamed } from './names.ts';
import { type Node, overlapping, upwards } from './node.ts';
import type { Place } from './place.ts';
import { createProblem, type Problem } from './problems.ts';
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
