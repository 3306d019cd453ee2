import { expect, test } from 'vitest';
import { TASK_OUTPUTS_UNITS, TASK_TEXT_UNITS, taskToWire, workOf } from './task.ts';

const item = (
  type: 'LLM_TOOL_CALL' | 'FINAL_ANALYSIS' | 'USER_QUESTION' | 'LLM_THINKING',
  content: string,
  sequenceNumber = 0,
) => ({
  sequenceNumber,
  type,
  content,
  status: 'COMPLETED' as const,
  metadata: type === 'LLM_TOOL_CALL' ? { server_name: 's', tool_name: 't', arguments: '{"a":1}' } : null,
});

test('describes the work of an agent by its tool outputs and last analysis', () => {
  expect(
    workOf([
      item('LLM_THINKING', 'Hm.'),
      item('LLM_TOOL_CALL', '91 %', 12),
      { ...item('LLM_TOOL_CALL', 'denied', 13), status: 'FAILED' },
      { ...item('LLM_TOOL_CALL', 'half'), status: 'STREAMING' },
      item('FINAL_ANALYSIS', 'first'),
      item('FINAL_ANALYSIS', 'last'),
      { ...item('FINAL_ANALYSIS', 'broken off'), status: 'CANCELLED' },
    ]),
  ).toEqual({
    question: undefined,
    analysis: 'last',
    outputs: [
      { tool: 's.t', arguments: '{"a":1}', content: '91 %', failed: false, number: 12 },
      { tool: 's.t', arguments: '{"a":1}', content: 'denied', failed: true, number: 13 },
    ],
  });
  expect(workOf([item('USER_QUESTION', 'Why?')])).toEqual({ question: 'Why?', outputs: [] });
});

test('limits the size of a task', () => {
  const output = {
    tool: 's.t',
    arguments: '{}',
    number: 1,
    content: `head${'x'.repeat(1_000_000)}tail`,
    failed: false,
  };
  const { alert, works } = taskToWire({
    alert: 'a'.repeat(TASK_TEXT_UNITS + 1),
    works: [
      { agent: 'A', outputs: Array.from({ length: 50 }, () => output) },
      { agent: 'B', outputs: [output] },
    ],
  });
  expect(alert).toHaveLength(TASK_TEXT_UNITS);
  const contents = works.flatMap(({ outputs }) => outputs.map(({ content }) => content));
  expect(contents).toHaveLength(51);
  expect(contents.join('').length).toBeLessThanOrEqual(TASK_OUTPUTS_UNITS);
  for (const content of contents) expect(content).toMatch(/^head.*shortened.*tail$/s);
});
