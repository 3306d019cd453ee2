import type { StoredAgreement, StoredClaim, StoredFact } from '../../../db/entities/index.ts';
import type { Replica } from '../../store/hypotheses.ts';
import { isTime } from './verify/attribute.ts';
import { readTarget } from './verify/claimed-value.ts';
import { isSameFigure } from './verify/figures.ts';
import { fold, keyWords } from './verify/names.ts';

type ReportedClaim = Pick<StoredClaim, 'kind' | 'text' | 'status' | 'facts'>;

/**
 * Counts the replicas that agree with the cause of a report. A replica agrees if a fact of its supported hypotheses is a
 * fact of a supported cause.
 * @returns `null` if the report names no cause, or if no replica has a supported hypothesis
 */
export function agreementOf(
  claims: readonly ReportedClaim[],
  replicas: readonly Replica[],
): StoredAgreement | null {
  const causes = claims.filter(({ kind }) => kind === 'CAUSE');
  if (causes.length === 0 || replicas.every(({ facts }) => facts.length === 0)) return null;
  const agreeing = new Set<Replica>();
  let [cause, most]: [string | null, number] = [null, 0];
  for (const { text, status, facts = [] } of causes) {
    if (status !== 'SUPPORTED') continue;
    const found = replicas.filter((replica) => replica.facts.some((own) => isAmong(own, facts)));
    for (const replica of found) agreeing.add(replica);
    if (found.length > most) [cause, most] = [text, found.length];
  }
  return { runs: replicas.length, agreeing: agreeing.size, cause };
}

/**
 * Compares the cause of a replay with that of the session from which its case was made.
 * @returns `agreeing` 2 of 2, or 1 of 2 if they share no fact; `null` if the source has no supported cause
 */
export function agreementWithSource(
  claims: readonly ReportedClaim[],
  source: readonly ReportedClaim[],
): StoredAgreement | null {
  const proven = source.filter(({ kind, status }) => kind === 'CAUSE' && status === 'SUPPORTED');
  const facts = proven.flatMap((claim) => claim.facts ?? []);
  if (facts.length === 0) return null;
  const found = agreementOf(claims, [{ facts }]);
  return { runs: 2, agreeing: 1 + (found?.agreeing ?? 0), cause: found?.cause ?? null };
}

const isAmong = (fact: StoredFact, facts: readonly StoredFact[]) =>
  facts.some((other) => isSameFact(fact, other));

/** True if two facts state the same, compared like a fact and a result in the verification. */
export function isSameFact(one: StoredFact, other: StoredFact): boolean {
  return (
    one.negated === other.negated &&
    plain(one.subject) === plain(other.subject) &&
    keyWords(one.attribute).join(' ') === keyWords(other.attribute).join(' ') &&
    isSameValue(one, other)
  );
}

function isSameValue(one: StoredFact, other: StoredFact): boolean {
  if (plain(one.value) === plain(other.value) && plain(one.unit ?? '') === plain(other.unit ?? ''))
    return true;
  const [first, second] = [readTarget(one), readTarget(other)];
  if (first.isTime && second.isTime) return isTime(first.text, second.text);
  if (first.figure === null || second.figure === null) return false;
  return isSameFigure(first.figure, second.figure) || isSameFigure(second.figure, first.figure);
}

const plain = (text: string) => fold(text).trim().replace(/ +/g, ' ');
