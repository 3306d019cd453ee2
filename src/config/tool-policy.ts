import { formatDuration } from './durations.ts';
import type { McpServerConfig, ToolRulesConfig } from './types.ts';

/** What a call of a tool may do: *reads* changes nothing, *changes* may, *undeclared*: nobody says. */
export type ToolClass = 'reads' | 'changes' | 'undeclared';

export type ToolAction = 'allow' | 'ask' | 'deny';

/** Under which terms people are asked before a call is made. */
export interface ApprovalTerms {
  /** How many people must approve. */
  approvals: number;
  /** How long they have. */
  expiresMs: number;
  /** Values of the arguments must stand in more than what strangers wrote. */
  denyUntrusted: boolean;
  /** Parameter that has the tool say what it would do; null = it has none. */
  dryRun: string | null;
}

/** What becomes of calls of a tool. */
export interface ToolDecision {
  action: ToolAction;
  /** What says so, for people. */
  by: string;
  terms: ApprovalTerms;
}

/** Where no rule says otherwise. */
const DEFAULT_TERMS: ApprovalTerms = {
  approvals: 1,
  expiresMs: 24 * 3_600_000,
  denyUntrusted: false,
  dryRun: null,
};

/** The first rule of the server's policy that names the tool; else its class, of which `changes` is asked about. */
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

/** What becomes of a server's tools, by pattern, the first that fits counting: for people, without asking the server. */
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
    ...(denyUntrusted ? ['no values of strangers'] : []),
    ...(dryRun === null ? [] : [`dry run by ${dryRun}`]),
  ];
  return `ask (${terms.join(', ')})`;
}

/** Whether a tool's name fits a pattern, in which `*` stands for any text; in linear time. */
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
