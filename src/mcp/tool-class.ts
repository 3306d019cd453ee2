import {
  type ApprovalTerms,
  decideTool,
  matchesPattern,
  type ToolAction,
  type ToolClass,
} from '../config/tool-policy.ts';
import type { ToolRulesConfig } from '../config/types.ts';
import type { ListedTool, ToolAnnotations } from './types.ts';

export interface ToolPolicy {
  toolClass: ToolClass;
  action: ToolAction;
  terms: ApprovalTerms;
  offered: boolean;
  /** Text for viewers: the class, the rule that decided it, and the effect. */
  policy: string;
}

/** Rules of a server for which the operator configured none. */
export const DEFAULT_TOOL_RULES: ToolRulesConfig = {
  readOnlyTools: [],
  changingTools: [],
  trustAnnotations: true,
  allowChanges: false,
  policy: [],
};

/** Creates the policy of a server's tools. An unannotated tool is `changes`; if all are unannotated, `undeclared`. */
export function createToolPolicy(
  listed: readonly ListedTool[],
  rules: ToolRulesConfig,
): (tool: Pick<ListedTool, 'name' | 'annotations'>) => ToolPolicy {
  const annotates = listed.some(({ annotations }) =>
    Object.values(annotations).some((hint) => hint !== null),
  );
  return ({ name, annotations }) => {
    const [toolClass, reason] = classify(name, annotations, rules, annotates);
    const { action, by, terms } = decideTool(name, toolClass, rules);
    const offered = action !== 'deny';
    return { toolClass, action, terms, offered, policy: `${toolClass}: ${reason}${effectOf(action, by)}` };
  };
}

function effectOf(action: ToolAction, by: string): string {
  if (action === 'ask') return by === 'its class' ? '; needs approval' : `; needs approval (${by})`;
  if (by === 'its class') return '';
  return action === 'allow' ? `; allowed (${by})` : `; denied (${by})`;
}

/** Classifies by the operator's rules, else by the server's annotations. The stricter class wins a contradiction. */
function classify(
  name: string,
  { readOnly, destructive }: ToolAnnotations,
  rules: ToolRulesConfig,
  annotates: boolean,
): [ToolClass, reason: string] {
  if (rules.changingTools.some((pattern) => matchesPattern(name, pattern)))
    return ['changes', 'listed in changing_tools'];
  if (rules.readOnlyTools.some((pattern) => matchesPattern(name, pattern)))
    return ['reads', 'listed in read_only_tools'];
  if (!annotates) return ['undeclared', 'the server declares no tool hints'];
  if (destructive === true) return ['changes', 'the server declares the tool destructive'];
  if (readOnly === true)
    return rules.trustAnnotations
      ? ['reads', 'the server declares the tool read-only']
      : ['changes', 'the server declares the tool read-only, but trust_annotations is off'];
  if (readOnly === false) return ['changes', 'the server declares that the tool is not read-only'];
  return ['changes', 'the server declares hints for other tools only'];
}
