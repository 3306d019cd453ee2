import { expect, it } from 'vitest';
import { canonicalName, parseToolName, toFunctionName, toolNameProblem } from './tool-names.ts';

it.each([
  ['host.disk_usage', { server: 'host', tool: 'disk_usage' }],
  ['host__disk_usage', { server: 'host', tool: 'disk_usage' }],
  [' kube-1.get__pods ', { server: 'kube-1', tool: 'get__pods' }],
  ['a__b__c', { server: 'a', tool: 'b__c' }],
])('reads %j', (text, name) => {
  expect(parseToolName(text)).toEqual(name);
});

it.each([
  '',
  'host',
  'host.',
  '.tool',
  'a.b.c',
  'check logs.then',
  'a.b(c)',
  '`a.b`',
  'a.b\n',
  `a.${'x'.repeat(65)}`,
])('reads %j as no tool name, or only its trimmed form', (text) => {
  expect(parseToolName(text)).toEqual(text === 'a.b\n' ? { server: 'a', tool: 'b' } : null);
});

it('converts to a function name and back', () => {
  const name = { server: 'host', tool: 'tail_log' };
  expect(toFunctionName(canonicalName(name))).toBe('host__tail_log');
  expect(parseToolName(toFunctionName(canonicalName(name)))).toEqual(name);
});

it('detects names that some provider would refuse', () => {
  expect(toolNameProblem({ server: 'host', tool: 'ok-1' })).toBeNull();
  expect(toolNameProblem({ server: 'host', tool: 'a.b' })).toContain('letters');
  expect(toolNameProblem({ server: 'x'.repeat(30), tool: 'y'.repeat(32) })).toBeNull();
  expect(toolNameProblem({ server: 'x'.repeat(30), tool: 'y'.repeat(33) })).toContain('longer than 64');
});
