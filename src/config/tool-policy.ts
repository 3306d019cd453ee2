import { formatDuration } from './durations.ts';
import type { McpServerConfig, ToolRulesConfig } from './types.ts';

/** The effect of a tool: `reads` changes nothing, `changes` may change something, `undeclared` is unknown. */
export type ToolClass = 'reads' | 'changes' | 'undeclared';

export type ToolAction = 'allow' | 'ask' | 'deny';

/** Conditions for the approval of a tool call. */
export interface ApprovalTerms {
  /** Number of different approvers that must approve. */
  approvals: number;
  /** Time after which an undecided request expires (ms). */
  expiresMs: number;
  /** True if a call is refused when one of its arguments occurs in untrusted tool results only. */
  denyUntrusted: boolean;
  /** The name of the tool's dry-run parameter; `null` if it has none. */
  dryRun: string | null;
}

export interface ToolDecision {
  action: ToolAction;
  /** The setting that decided, as shown to users. */
  by: string;
  terms: ApprovalTerms;
}

const DEFAULT_TERMS: ApprovalTerms = {
  approvals: 1,
  expiresMs: 24 * 3_600_000,
  denyUntrusted: false,
  dryRun: null,
};

/** Decides by the first matching policy rule, else by class: only `changes` without `allowChanges` needs approval. */
export function decideTool(
  name: string,
  toolClass: ToolClass,
  rules: Pick<ToolRulesConfig, 'policy' | 'allowChanges'>,
): ToolDecision {
  const rule = rules.policy.find(({ tools }) => tools.some((pattern) => matchesPattern(name, pattern)));
  if (rule) {
    const { action, approvals, expiresMs, denyUntrusted, dryRun } = rule;
    return { action, by: 'policy', terms: { approvals, expiresMs, denyUntrusted, dryRun } };
  }
  if (toolClass !== 'changes') return { action: 'allow', by: 'its class', terms: DEFAULT_TERMS };
  if (rules.allowChanges) return { action: 'allow', by: 'allow_changes', terms: DEFAULT_TERMS };
  return { action: 'ask', by: 'its class', terms: DEFAULT_TERMS };
}

/** Lists the decision for each tool pattern of a server without contacting the server. The first match applies. */
export function policyTable({ policy, ...server }: McpServerConfig): [tools: string, action: string][] {
  const rules = policy.map((rule): [string, string] => [
    rule.tools.join(' '),
    rule.action === 'ask' ? describeAsk(rule) : rule.action,
  ]);
  const changes = server.allowChanges ? 'allow (allow_changes)' : describeAsk(DEFAULT_TERMS);
  const classes: [string, string][] = [
    ...server.changingTools.map((pattern): [string, string] => [pattern, changes]),
    ...server.readOnlyTools.map((pattern): [string, string] => [pattern, 'allow']),
    ['others that only read', server.trustAnnotations ? 'allow' : `${changes}, trust_annotations is off`],
    ['others that may change something', changes],
    ['others, where the server declares nothing of any tool', 'allow, with a warning'],
  ];
  return [...rules, ...classes];
}

function describeAsk({ approvals, expiresMs, denyUntrusted, dryRun }: ApprovalTerms): string {
  const terms = [
    `${approvals} ${approvals === 1 ? 'person' : 'people'}`,
    `within ${formatDuration(expiresMs)}`,
    ...(denyUntrusted ? ['no untrusted values'] : []),
    ...(dryRun === null ? [] : [`dry run by ${dryRun}`]),
  ];
  return `ask (${terms.join(', ')})`;
}

/** True if a tool's name matches a pattern, in which `*` stands for any text. Takes linear time. */
export function matchesPattern(name: string, pattern: string): boolean {
  const parts = pattern.split('*');
  const [first, last] = [parts[0]!, parts.at(-1)!];
  if (parts.length === 1) return name === pattern;
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last))
    return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= name.length - last.length;
}
