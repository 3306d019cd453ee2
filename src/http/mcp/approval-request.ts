import { acceptedContent, type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { visibleJson, visibleText } from '../../common/visible-json.ts';
import { type Refusable, type Run, succeeded } from './run-operation.ts';

export interface PendingApproval {
  id: string;
  status: string;
  server: string;
  tool: string;
  arguments: unknown;
  argumentsHash: string;
  reason: string | null;
  mayDecide: boolean;
}

const FORM = z.object({
  decision: z.enum(['approve', 'deny', 'later']).describe('Approve runs the call. Later leaves it waiting.'),
  comment: z.string().max(2000).optional().describe('Reason, which the agent reads if you deny.'),
});

/** Maximum length of the arguments in a question (characters). Calls with longer ones are decided on the page, where all is shown. */
const SHOWN_CHARACTERS = 4_000;

/** The key names the call that the user saw. A call with other arguments has another key. */
const keyOf = ({ id, argumentsHash }: PendingApproval): string => `${id}/${argumentsHash}`;

/**
 * Returns the keys of the approvals that the user was asked about. A client sends only the answers of its last round, so
 * the earlier keys come back in the state of the request.
 */
export function askedBefore(state: unknown, answers: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const earlier = typeof state === 'string' ? state.split(' ') : [];
  return new Set([...earlier, ...Object.keys(answers)]);
}

/** Returns the request that asks the user about the approvals that wait for one; `null` if none is left to ask. */
export function askForApproval(
  approvals: readonly PendingApproval[],
  asked: ReadonlySet<string>,
): InputRequiredResult | null {
  const unasked = approvals.filter(
    (approval) =>
      approval.status === 'PENDING' &&
      approval.mayDecide &&
      visibleJson(approval.arguments).length <= SHOWN_CHARACTERS &&
      !asked.has(keyOf(approval)),
  );
  if (unasked.length === 0) return null;
  const requests = unasked.map((approval) => [
    keyOf(approval),
    inputRequired.elicit({ message: questionOf(approval), requestedSchema: FORM }),
  ]);
  return inputRequired({ inputRequests: Object.fromEntries(requests), requestState: [...asked].join(' ') });
}

function questionOf({ server, tool, arguments: given, reason }: PendingApproval): string {
  const lines = [`An agent wants to call ${visibleText(`${server}.${tool}`)}:`, visibleJson(given)];
  const why = reason === null ? [] : [`Reason: ${visibleText(reason.replace(/[ \t\r\n]+/g, ' '))}`];
  return [...lines, ...why].join('\n');
}

/** Stores the decisions that the user made. @throws OperationError if one is refused */
export async function decide(run: Run, answers: Readonly<Record<string, unknown>>): Promise<void> {
  for (const key of Object.keys(answers)) {
    const form = FORM.safeParse(acceptedContent(answers, key)).data;
    if (form === undefined || form.decision === 'later') continue;
    const [id, argumentsHash] = key.split('/');
    const { decision, comment } = form;
    const { decideApproval } = await run<{ decideApproval: Refusable }>(
      `mutation McpDecide($input: DecideApprovalInput!) { decideApproval(input: $input) {
         ... on Error { code message } } }`,
      { input: { id, argumentsHash, approve: decision === 'approve', comment } },
    );
    succeeded(decideApproval);
  }
}
