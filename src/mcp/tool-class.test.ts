import { expect, test } from 'vitest';
import type { ToolRulesConfig } from '../config/types.ts';
import { readListedTool } from './list-tools.ts';
import { createToolPolicy, DEFAULT_TOOL_RULES } from './tool-class.ts';

const READS = { readOnlyHint: true };
const CHANGES = { readOnlyHint: false };

const rule = (action: 'allow' | 'ask' | 'deny') => ({
  ...{ tools: ['tool_*'], action, approvals: 1, expiresMs: 1, denyUntrusted: false, dryRun: null },
});

/**
 * Lists one tool for each of the annotations. Returns the class of the first tool, and whether the tool needs approval
 * or is withheld.
 */
function verdict(rules: Partial<ToolRulesConfig>, ...annotations: (object | undefined)[]): string {
  const listed = annotations.map((hints, index) =>
    readListedTool({ name: `tool_${index}`, ...(hints && { annotations: hints }) }),
  );
  const tools = listed.filter((tool) => tool !== null);
  const { toolClass, action, offered } = createToolPolicy(tools, { ...DEFAULT_TOOL_RULES, ...rules })(
    tools[0]!,
  );
  if (!offered) return `${toolClass}, withheld`;
  return action === 'ask' ? `${toolClass}, asked` : toolClass;
}

test.each<[what: string, rules: Partial<ToolRulesConfig>, tools: (object | undefined)[], expected: string]>([
  ['declared read-only', {}, [READS], 'reads'],
  ['declared not read-only', {}, [CHANGES], 'changes, asked'],
  ['declared destructive', {}, [{ destructiveHint: true }], 'changes, asked'],
  [
    'declared read-only and destructive',
    {},
    [{ readOnlyHint: true, destructiveHint: true }],
    'changes, asked',
  ],
  ['declared not destructive, and no more', {}, [{ destructiveHint: false }], 'changes, asked'],
  ['not declared beside one that is', {}, [undefined, READS], 'changes, asked'],
  ['not declared on a server that declares nothing', {}, [undefined, undefined], 'undeclared'],
  ['titles only declare nothing', {}, [{ title: 'Read a pod' }, { title: 'Pods' }], 'undeclared'],
  ['hints of another type declare nothing', {}, [{ readOnlyHint: 'true' }], 'undeclared'],
  ['listed as read-only', { readOnlyTools: ['tool_*'] }, [CHANGES], 'reads'],
  ['listed as changing', { changingTools: ['tool_0'] }, [READS], 'changes, asked'],
  [
    'listed as both by patterns',
    { readOnlyTools: ['tool*'], changingTools: ['*_0'] },
    [READS],
    'changes, asked',
  ],
  [
    'listed on a server that declares nothing',
    { readOnlyTools: ['tool_0'] },
    [undefined, undefined],
    'reads',
  ],
  [
    'not listed where others are, and nothing is declared',
    { readOnlyTools: ['tool_1'] },
    [undefined, undefined],
    'undeclared',
  ],
  [
    'declared read-only by a server that is not trusted',
    { trustAnnotations: false },
    [READS],
    'changes, asked',
  ],
  [
    'the operator’s word of a server that is not trusted',
    { trustAnnotations: false, readOnlyTools: ['tool_0'] },
    [CHANGES],
    'reads',
  ],
  ['changes that are allowed', { allowChanges: true }, [CHANGES], 'changes'],
  ['denied by policy', { policy: [rule('deny')], allowChanges: true }, [CHANGES], 'changes, withheld'],
  ['denied by policy though it reads', { policy: [rule('deny')] }, [READS], 'reads, withheld'],
  ['asked about by policy though it reads', { policy: [rule('ask')] }, [READS], 'reads, asked'],
  ['allowed by policy', { policy: [rule('allow')] }, [CHANGES], 'changes'],
])('%s', (_, rules, tools, expected) => {
  expect(verdict(rules, ...tools)).toBe(expected);
});
