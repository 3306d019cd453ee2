import { describe, expect, it, test } from 'vitest';
import { loadText } from '../../test/fixtures/config/load-text.ts';
import { decideTool, matchesPattern, policyTable, type ToolClass } from './tool-policy.ts';

const SERVER = `
mcp_servers:
  k8s:
    transport: { type: stdio, command: server }
    changing_tools: [touch_*]
    policy:
      - { tools: [delete_all], action: deny }
      - { tools: ['delete_*', get_secret], action: ask, approvals: 2, expires: 4h, deny_untrusted: true, dry_run: dryRun }
      - { tools: ['scale_*'], action: allow }
      - { tools: ['*'], action: deny }
`;

test.each<[name: string, toolClass: ToolClass, allowChanges: boolean, expected: string]>([
  ['get_pods', 'reads', false, 'allow by its class'],
  ['get_pods', 'undeclared', false, 'allow by its class'],
  ['restart', 'changes', false, 'ask by its class'],
  ['restart', 'changes', true, 'allow by allow_changes'],
])('without a rule %s, which %s, with allow_changes %s: %s', (name, toolClass, allowChanges, expected) => {
  const { action, by } = decideTool(name, toolClass, { policy: [], allowChanges });
  expect(`${action} by ${by}`).toBe(expected);
});

test.each<[name: string, toolClass: ToolClass, expected: string]>([
  ['delete_all', 'changes', 'deny'],
  ['delete_pod', 'changes', 'ask'],
  ['get_secret', 'reads', 'ask'],
  ['scale_down', 'changes', 'allow'],
  ['get_pods', 'reads', 'deny'],
  ['whatever', 'undeclared', 'deny'],
])(
  'the first rule that names %s (%s) says %s, whatever allow_changes says',
  async (name, toolClass, expected) => {
    const { k8s } = (await loadText(SERVER)).mcpServers;
    for (const allowChanges of [true, false])
      expect(decideTool(name, toolClass, { policy: k8s!.policy, allowChanges })).toMatchObject({
        action: expected,
        by: 'policy',
      });
  },
);

it('returns the terms of the rule', async () => {
  const { k8s } = (await loadText(SERVER)).mcpServers;
  expect(decideTool('delete_pod', 'changes', k8s!).terms).toEqual({
    approvals: 2,
    expiresMs: 4 * 3_600_000,
    denyUntrusted: true,
    dryRun: 'dryRun',
  });
  expect(decideTool('x', 'changes', { policy: [], allowChanges: false }).terms).toEqual({
    approvals: 1,
    expiresMs: 24 * 3_600_000,
    denyUntrusted: false,
    dryRun: null,
  });
});

it('formats the policy as a table of patterns', async () => {
  const { k8s } = (await loadText(SERVER)).mcpServers;
  expect(policyTable(k8s!).slice(0, 5)).toEqual([
    ['delete_all', 'deny'],
    ['delete_* get_secret', 'ask (2 people, within 4h, no untrusted values, dry run by dryRun)'],
    ['scale_*', 'allow'],
    ['*', 'deny'],
    ['touch_*', 'ask (1 person, within 24h)'],
  ]);
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
