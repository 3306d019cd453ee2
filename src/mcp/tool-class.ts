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
  if (action === 'ask') return by === 'its class' ? '; people are asked' : `; people are asked by ${by}`;
  if (by === 'its class') return '';
  return action === 'allow' ? `; offered by ${by}` : `; withheld by ${by}`;
}

/** Classifies by the operator's rules, else by the server's annotations. The stricter class wins a contradiction. */
function classify(
  name: string,
  { readOnly, destructive }: ToolAnnotations,
  rules: ToolRulesConfig,
  annotates: boolean,
): [ToolClass, reason: string] {
  if (rules.changingTools.some((pattern) => matchesPattern(name, pattern)))
    return ['changes', 'changing_tools names it'];
  if (rules.readOnlyTools.some((pattern) => matchesPattern(name, pattern)))
    return ['reads', 'read_only_tools names it'];
  if (!annotates) return ['undeclared', 'its server declares nothing about its tools'];
  if (destructive === true) return ['changes', 'its server declares it destructive'];
  if (readOnly === true)
    return rules.trustAnnotations
      ? ['reads', 'its server declares it read-only']
      : ['changes', 'its server declares it read-only, which trust_annotations does not believe'];
  if (readOnly === false) return ['changes', 'its server declares that it is not read-only'];
  return ['changes', 'its server declares other tools read-only or not, but not this one'];
}
