import { expect, it } from 'vitest';
import type { TimelineEventType, TimelineItemFragment } from '../../graphql/gen/documents.ts';
import { withSummaries } from './timeline-summaries.ts';

const item = (id: string, type: TimelineEventType, call?: string) =>
  ({ id, type, metadata: call === undefined ? null : { tool_call_id: call } }) as TimelineItemFragment;

const order = (...items: TimelineItemFragment[]) => withSummaries(items).map(({ id }) => id);

it('moves each summary below its call', () => {
  const calls = [item('one', 'LLM_TOOL_CALL', 'a'), item('two', 'LLM_TOOL_CALL', 'b')];
  const summaries = [item('of two', 'MCP_TOOL_SUMMARY', 'b'), item('of one', 'MCP_TOOL_SUMMARY', 'a')];
  expect(order(...calls, ...summaries, item('then', 'LLM_RESPONSE'))).toEqual([
    'one',
    'of one',
    'two',
    'of two',
    'then',
  ]);
});

it('uses the last call of a repeated id, and leaves a summary without a call in place', () => {
  expect(
    order(
      item('first', 'LLM_TOOL_CALL', 'a'),
      item('again', 'LLM_TOOL_CALL', 'a'),
      item('text', 'LLM_RESPONSE'),
      item('of again', 'MCP_TOOL_SUMMARY', 'a'),
      item('of none', 'MCP_TOOL_SUMMARY', 'z'),
    ),
  ).toEqual(['first', 'again', 'of again', 'text', 'of none']);
});
