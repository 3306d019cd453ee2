import type { StoredFact } from '../db/entities/index.ts';
import type { ClaimView } from './views.ts';

/** Claims of several sessions about the same, at most one of each session. */
export interface ComparedClaimView {
  readonly text: string;
  /** The claim of each session, in the order of the sessions; `null` where it has none. */
  readonly claims: readonly (ClaimView | null)[];
}

/** Points for an equal fact, for a fact with another value, and for an equal text. */
const SAME_FACT = 4;
const OTHER_VALUE = 1;
const SAME_TEXT = 2;

/**
 * Matches the claims of sessions: first by their facts, else by equal text apart from case, marks and spaces. Claims of
 * different kinds never match. Rows keep the order of the first session, then of the others.
 */
export function compareClaims(sessions: readonly (readonly ClaimView[])[]): ComparedClaimView[] {
  const rows: (ClaimView | null)[][] = [];
  sessions.forEach((claims, at) => {
    const pairs = claims
      .flatMap((claim) => rows.map((row) => ({ claim, row, points: likeness(claim, row) })))
      .filter(({ points }) => points > 0)
      .toSorted((a, b) => b.points - a.points);
    const placed = new Set<ClaimView>();
    for (const { claim, row } of pairs) {
      if (placed.has(claim) || row[at] != null) continue;
      row[at] = claim;
      placed.add(claim);
    }
    for (const claim of claims)
      if (!placed.has(claim)) rows.push(sessions.map((_claims, index) => (index === at ? claim : null)));
  });
  return rows.map((row) => ({ text: row.find((claim) => claim !== null)!.text, claims: row }));
}

function likeness(claim: ClaimView, row: readonly (ClaimView | null)[]): number {
  return Math.max(...row.map((other) => (other === null ? 0 : likenessOf(claim, other))));
}

function likenessOf(a: ClaimView, b: ClaimView): number {
  if (a.kind !== b.kind) return 0;
  const facts = new Set((b.facts ?? []).map(factKey));
  const about = new Set((b.facts ?? []).map(subjectKey));
  const points = (a.facts ?? []).map((fact) =>
    facts.has(factKey(fact)) ? SAME_FACT : about.has(subjectKey(fact)) ? OTHER_VALUE : 0,
  );
  const sum = points.reduce<number>((total, each) => total + each, 0);
  return sum + (normalized(a.text) === normalized(b.text) ? SAME_TEXT : 0);
}

const normalized = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[\s\p{P}]+/gu, ' ')
    .trim();
const subjectKey = ({ subject, attribute }: StoredFact): string =>
  JSON.stringify([normalized(subject), normalized(attribute)]);
const factKey = (fact: StoredFact): string =>
  JSON.stringify([subjectKey(fact), normalized(fact.value), fact.unit, fact.negated]);
