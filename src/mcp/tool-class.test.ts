import { describe, expect, it, test } from 'vitest';
import type { ToolRulesConfig } from '../config/types.ts';
import { readListedTool } from './listed-tool.ts';
import { matchesPattern, STANDARD_RULES, toolPolicies } from './tool-class.ts';

const READS = { readOnlyHint: true };
const CHANGES = { readOnlyHint: false };

/** Class of the first tool, and whether it is offered, on a server with these annotations. */
function verdict(rules: Partial<ToolRulesConfig>, ...annotations: (object | undefined)[]): string {
  const listed = annotations.map((hints, index) =>
    readListedTool({ name: `tool_${index}`, ...(hints && { annotations: hints }) }),
  );
  const tools = listed.filter((tool) => tool !== null);
  const { toolClass, offered } = toolPolicies(tools, { ...STANDARD_RULES, ...rules })(tools[0]!);
  return offered ? toolClass : `${toolClass}, withheld`;
}

test.each<[what: string, rules: Partial<ToolRulesConfig>, tools: (object | undefined)[], expected: string]>([
  ['declared read-only', {}, [READS], 'reads'],
  ['declared not read-only', {}, [CHANGES], 'changes, withheld'],
  ['declared destructive', {}, [{ destructiveHint: true }], 'changes, withheld'],
  [
    'declared read-only and destructive',
    {},
    [{ readOnlyHint: true, destructiveHint: true }],
    'changes, withheld',
  ],
  ['declared not destructive, and no more', {}, [{ destructiveHint: false }], 'changes, withheld'],
  ['not declared beside one that is', {}, [undefined, READS], 'changes, withheld'],
  ['not declared on a server that declares nothing', {}, [undefined, undefined], 'undeclared'],
  ['titles only declare nothing', {}, [{ title: 'Read a pod' }, { title: 'Pods' }], 'undeclared'],
  ['hints of another type declare nothing', {}, [{ readOnlyHint: 'true' }], 'undeclared'],
  ['listed as read-only', { readOnlyTools: ['tool_*'] }, [CHANGES], 'reads'],
  ['listed as changing', { changingTools: ['tool_0'] }, [READS], 'changes, withheld'],
  [
    'listed as both by patterns',
    { readOnlyTools: ['tool*'], changingTools: ['*_0'] },
    [READS],
    'changes, withheld',
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
    'changes, withheld',
  ],
  [
    'the operator’s word of a server that is not trusted',
    { trustAnnotations: false, readOnlyTools: ['tool_0'] },
    [CHANGES],
    'reads',
  ],
  ['changes that are allowed', { allowChanges: true }, [CHANGES], 'changes'],
])('%s', (_, rules, tools, expected) => {
  expect(verdict(rules, ...tools)).toBe(expected);
});

describe('patterns', () => {
  it.each([
    ['get_pods', 'get_pods', true],
    ['get_pods', 'get_*', true],
    ['get_pods', '*_pods', true],
    ['get_pods', '*', true],
    ['get_pods', 'get**pods', true],
    ['get_pods', 'g*t*s', true],
    ['get_pods', 'pods', false],
    ['get_pods', 'get_', false],
    ['get_pods', '*_pod', false],
    ['aba', 'ab*ba', false],
    ['abab', 'a*b*a*b*b', false],
    ['Get_pods', 'get_*', false],
  ])('%s and %s: %s', (name, pattern, expected) => {
    expect(matchesPattern(name, pattern)).toBe(expected);
  });
});
