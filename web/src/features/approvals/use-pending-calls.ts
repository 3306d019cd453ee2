import { useCallback } from 'react';
import { WaitingApprovalsDocument, type WaitingApprovalsQuery } from '../../graphql/gen/documents.ts';
import { useQuery } from '../../graphql/use-query.ts';
import { useApprovalsChanged } from './use-approvals-changed.ts';

export type PendingCall = WaitingApprovalsQuery['pendingApprovals'][number];

/** Returns the tool calls that wait for approval, kept up to date; empty while unknown. */
export function usePendingCalls(): readonly PendingCall[] {
  const [{ data }, execute] = useQuery({ query: WaitingApprovalsDocument });
  useApprovalsChanged(useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]));
  return data?.pendingApprovals ?? NONE;
}

const NONE: readonly PendingCall[] = [];
