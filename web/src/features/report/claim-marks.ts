import { AlertIcon, CheckIcon, CloseIcon } from '../../components/icons.tsx';
import type { ClaimKind, ClaimStatus } from '../../graphql/gen/documents.ts';

export const CLAIM_KINDS: Readonly<Record<ClaimKind, string>> = {
  CAUSE: 'Cause',
  OBSERVATION: 'Observation',
  RULED_OUT: 'Ruled out',
  RECOMMENDATION: 'Recommendation',
  GAP: 'Gap',
};

interface Mark {
  readonly label: string;
  readonly tone: string;
  readonly Icon: typeof CheckIcon;
}

/**
 * Label of a claim's status; `null` for claims that cannot be checked. "Supported" means that the quotes exist, not
 * that the claim is true.
 */
export const CLAIM_MARKS: Readonly<Record<ClaimStatus, Mark | null>> = {
  SUPPORTED: { label: 'Supported', tone: 'status.done', Icon: CheckIcon },
  PARTLY_SUPPORTED: { label: 'Partly supported', tone: 'status.late', Icon: AlertIcon },
  UNSUPPORTED: { label: 'Unsupported', tone: 'status.failed', Icon: CloseIcon },
  NOT_CHECKABLE: null,
};
