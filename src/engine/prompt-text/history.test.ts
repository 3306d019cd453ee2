import { expect, test } from 'vitest';
import type { TimelineEventRow } from '../../db/entities/index.ts';
import { findHistoryResults, formatHistory } from './history.ts';

type Item = Parameters<typeof formatHistory>[0][number];

const item = (type: TimelineEventRow['type'], content: string, more: Partial<Item> = {}): Item => ({
  ...{ sequenceNumber: 7, type, status: 'COMPLETED', content, metadata: null },
  ...more,
});
const call = (id: string, content: string, metadata: Record<string, unknown> = {}) =>
  item('LLM_TOOL_CALL', content, {
    metadata: { server_name: 'host', tool_name: 'disk', arguments: '{}', tool_call_id: id, ...metadata },
  });
const summary = (id: string, content: string, status: Item['status'] = 'COMPLETED') =>
  item('MCP_TOOL_SUMMARY', content, { status, metadata: { tool_call_id: id } });
const interrupted = { metadata: { interrupted: true } };

test('leaves out what an interrupted run repeated, and outages, but no call', () => {
  expect(
    formatHistory([
      item('LLM_THINKING', 'half a thought', interrupted),
      item('ERROR', 'The model is unavailable.', { metadata: { outage: true } }),
      item('ERROR', 'The tool broke.'),
      call('a', 'gone', { interrupted: true }),
    ]),
  ).toBe('**Error**\n\nThe tool broke.\n\n**Tool call**: [T7] host.disk {}\n\nResult:\ngone');
});

test('leaves out items without text, and says how a call without result ended', () => {
  const failed = { ...call('a', ' '), status: 'FAILED' } as const;
  expect(formatHistory([item('LLM_THINKING', ' \n'), failed])).toBe(
    '**Tool call**: [T7] host.disk {} (failed)\n\nResult:\n(nothing)',
  );
});

test('shows the completed summary of a call in place of its result', () => {
  const shown = formatHistory([
    ...[call('a', 'long a'), summary('a', 'short a')],
    ...[call('b', 'long b'), summary('b', 'half b', 'FAILED')],
    ...[call('a', 'again'), call('a', 'long again'), summary('a', 'short again')], // ids of calls may repeat
  ]);
  expect(shown.match(/Result.*\n.*/g)).toEqual([
    'Result, summarized:\nshort a',
    'Result:\nlong b',
    'Result:\nagain',
    'Result, summarized:\nshort again',
  ]);
});

test('disables citation numbers in a hint, because a hint is no evidence', () => {
  expect(formatHistory([item('HINT', 'See [T12]')])).toBe('**Hint of a responder**\n\nSee [\u200bT12]');
  expect(formatHistory([item('FINAL_ANALYSIS', 'See [T12]')])).toContain('See [T12]');
});

test('finds each result once, up to the next item', () => {
  const history = formatHistory([
    call('a', 'one'),
    call('b', 'x\n\nResult:\ny'),
    item('FINAL_ANALYSIS', 'z'),
  ]);
  const found = findHistoryResults(history).map(({ start, end }) => history.slice(start, end));
  expect(found).toEqual(['one', 'x\n\nResult:\ny']);
});
