import type { ApiClient } from './api.ts';

/** An approval as the tests read it. */
export interface SeenApproval {
  id: string;
  server: string;
  tool: string;
  arguments: Record<string, unknown>;
  argumentsHash: string;
  reason: string | null;
  status: string;
  requiredApprovals: number;
  decisions: { actor: string; approved: boolean; comment: string | null }[];
  errorMessage: string | null;
  session: { id: string; status: string };
  timelineEvent: { type: string };
  toolCall: { sequenceNumber: number; output: { text: string } | null } | null;
}

const FIELDS = `id server tool arguments argumentsHash reason status requiredApprovals
  decisions { actor approved comment } errorMessage session { id status } timelineEvent { type }
  toolCall { sequenceNumber output { text } }`;

/** Returns a session's approvals in order. */
export async function approvalsOf(api: ApiClient, id: string): Promise<SeenApproval[]> {
  const query = `query ($id: ID!) { session(id: $id) { approvals { ${FIELDS} } } }`;
  return (await api.query<{ session: { approvals: SeenApproval[] } }>(query, { id })).session.approvals;
}

export async function pendingApprovals(api: ApiClient): Promise<SeenApproval[]> {
  const answer = await api.query<{ pendingApprovals: SeenApproval[] }>(`{ pendingApprovals { ${FIELDS} } }`);
  return answer.pendingApprovals;
}

/** Decides an approval. Returns the resulting status, or the error's name with its message. */
export async function decide(
  api: ApiClient,
  { id, argumentsHash }: Pick<SeenApproval, 'id' | 'argumentsHash'>,
  approve: boolean,
  comment: string | null = null,
): Promise<string> {
  const { decideApproval: result } = await api.query<{
    decideApproval: { __typename: string; approval?: SeenApproval; message?: string };
  }>(
    `mutation ($input: DecideApprovalInput!) { decideApproval(input: $input) { __typename
       ... on DecideApprovalSuccess { approval { status } } ... on Error { message } } }`,
    { input: { id, argumentsHash, approve, comment } },
  );
  return result.approval ? result.approval.status : `${result.__typename}: ${result.message}`;
}
