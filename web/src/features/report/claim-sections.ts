import type { CheckedClaimFragment, VerdictKind } from '../../graphql/gen/documents.ts';

/** A claim with its position in the report, from 1, which links name. */
export interface NumberedClaim {
  readonly claim: CheckedClaimFragment;
  readonly number: number;
}

export interface ClaimSection {
  readonly title: string;
  /** Text that stands in for missing claims; `null` if the section is left out without claims. */
  readonly empty: string | null;
  readonly claims: readonly NumberedClaim[];
}

export interface ClaimSections {
  /** Sections that an engineer acts on: what to do, the cause, and what is not known. */
  readonly first: readonly ClaimSection[];
  /** Sections that prove it. Refuted claims stand last, so that they cannot be taken for findings. */
  readonly proof: readonly ClaimSection[];
}

/** Sorts the claims of a report into sections: what to do, cause, gaps, evidence, ruled out, unsupported. */
export function claimSections(claims: readonly CheckedClaimFragment[], verdict: VerdictKind): ClaimSections {
  const numbered = claims.map((claim, index) => ({ claim, number: index + 1 }));
  const isRefuted = ({ claim }: NumberedClaim): boolean => claim.status === 'UNSUPPORTED';
  const holding = (kind: CheckedClaimFragment['kind']) =>
    numbered.filter((each) => each.claim.kind === kind && !isRefuted(each));
  const named = (title: string, kind: CheckedClaimFragment['kind'], empty: string | null = null) => ({
    ...{ title, empty, claims: holding(kind) },
  });
  const hasRefutedCause = numbered.some((each) => each.claim.kind === 'CAUSE' && isRefuted(each));
  return {
    first: [
      named('To do', 'RECOMMENDATION', NOTHING_TO_DO[verdict]),
      named('Cause', 'CAUSE', hasRefutedCause ? 'The evidence supports no cause.' : null),
      named('Not known', 'GAP'),
    ].filter(isShown),
    proof: [
      named('Evidence', 'OBSERVATION'),
      named('Ruled out', 'RULED_OUT'),
      { title: 'Not supported by evidence', empty: null, claims: numbered.filter(isRefuted) },
    ].filter(isShown),
  };
}

const NOTHING_TO_DO: Readonly<Record<VerdictKind, string | null>> = {
  ACTION_REQUIRED: 'The report recommends no step.',
  ACTION_SUGGESTED: 'The report recommends no step.',
  NO_ACTION: null,
  INCONCLUSIVE: null,
};

const isShown = ({ claims, empty }: ClaimSection): boolean => claims.length > 0 || empty !== null;
