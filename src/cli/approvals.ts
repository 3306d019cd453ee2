import { sanitize, sanitizeLine } from '../common/printable.ts';
import { visibleJson } from '../common/visible-json.ts';
import { request, type Server } from './api.ts';
import type { Command } from './command.ts';
import { CliError, EXIT, usageError } from './errors.ts';
import { APPROVALS } from './help.ts';

export const PENDING_APPROVALS = `{
  pendingApprovals {
    id server tool arguments argumentsHash reason policy dryRun requiredApprovals expiresAt
    decisions { actor approved }
    provenance { path value origin lines isUntrusted }
    session { id title resolvedAt }
    execution { agentName }
  }
}`;

export const DECIDE_APPROVAL = `mutation ($input: DecideApprovalInput!) {
  decideApproval(input: $input) {
    __typename
    ... on DecideApprovalSuccess { approval { status requiredApprovals decisions { actor } } }
    ... on Error { message code }
  }
}`;

interface PendingApproval {
  id: string;
  server: string;
  tool: string;
  arguments: unknown;
  argumentsHash: string;
  reason: string | null;
  policy: string;
  dryRun: string | null;
  requiredApprovals: number;
  expiresAt: string;
  decisions: { actor: string }[];
  provenance: { path: string; value: string; origin: string; isUntrusted: boolean }[];
  session: { id: string; title: string; resolvedAt: string | null };
  execution: { agentName: string };
}

interface DecisionResult {
  approval?: { status: string; requiredApprovals: number; decisions: unknown[] };
  message?: string;
  code?: string;
}

export const approvalsCommand: Command = {
  help: APPROVALS,
  requiredScopes: 'READ,APPROVE',
  run({ values, positionals }, server) {
    const [command, id, argumentsHash, ...more] = positionals;
    if (command === 'list' && id === undefined) return list(server);
    const isDecision = command === 'approve' || command === 'deny';
    if (!isDecision || id === undefined || argumentsHash === undefined || more.length > 0)
      throw usageError('Use list, approve ID HASH, or deny ID HASH.');
    const approve = command === 'approve';
    return decide(server, { id, argumentsHash, approve, comment: values.comment ?? null });
  },
};

async function list(server: Server): Promise<string> {
  const { pendingApprovals } = await request<{ pendingApprovals: PendingApproval[] }>(server, {
    document: PENDING_APPROVALS,
    variables: {},
  });
  if (pendingApprovals.length === 0) return 'No tool calls wait for approval.\n';
  return `${pendingApprovals.map(describeApproval).join('\n\n')}\n`;
}

function describeApproval(one: PendingApproval): string {
  const { server, tool, session, execution, decisions, requiredApprovals, expiresAt, reason, dryRun } = one;
  const indented = (text: string) => sanitize(text).replace(/^/gm, '    ');
  const origins = one.provenance.map(
    ({ path, value, origin, isUntrusted }) =>
      `  ${sanitizeLine(path)} = ${sanitizeLine(value)}: ${origin}${isUntrusted ? ', from untrusted results only' : ''}`,
  );
  return [
    sanitizeLine(`${server}.${tool}, requested by ${execution.agentName}`),
    `  Session ${session.id}: ${sanitizeLine(session.title)}`,
    `  ${decisions.length} of ${requiredApprovals} approved, until ${expiresAt}; ${sanitizeLine(one.policy)}`,
    ...(session.resolvedAt === null
      ? []
      : [`  The source reports the problem as resolved since ${session.resolvedAt}.`]),
    indented(visibleJson(one.arguments)),
    ...origins,
    ...(reason === null ? [] : [`  The agent says:`, indented(reason)]),
    ...(dryRun === null ? [] : [`  A dry run says:`, indented(dryRun)]),
    `  npm run approvals -- approve ${one.id} ${one.argumentsHash}`,
  ].join('\n');
}

async function decide(
  server: Server,
  input: { id: string; argumentsHash: string; approve: boolean; comment: string | null },
): Promise<string> {
  const { decideApproval } = await request<{ decideApproval: DecisionResult }>(server, {
    document: DECIDE_APPROVAL,
    variables: { input },
  });
  const { approval, message = '', code = '' } = decideApproval;
  if (!approval) throw new CliError(EXIT.USAGE, code, message);
  const { status, decisions, requiredApprovals } = approval;
  if (status !== 'PENDING') return `${status}\n`;
  return `Recorded: ${decisions.length} of ${requiredApprovals} required approvals.\n`;
}
