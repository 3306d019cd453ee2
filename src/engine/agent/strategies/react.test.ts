import { expect, test } from 'vitest';
import { reactText } from './react.ts';

const codec = reactText({ maskToolResult: (_, text) => text.replaceAll('hunter2', '***') });
const read = (text: string, shown = '') => codec.read({ text, shown, toolCalls: [] }, [], 1);

test('shows of a malformed response no thought that viewers have not seen, because it may hold arguments', () => {
  const thought = 'I log in with hunter2';
  expect(read(`Thought: ${thought}`).said).not.toHaveProperty('content');
  expect(read(`Thought: ${thought}`, thought).said).toMatchObject({ type: 'LLM_THINKING', content: thought });
  expect(read(`Thought: ${thought}`).content).toBe('Thought: I log in with ***');
});

test('withdraws the thought of a response that calls a tool after its final answer', () => {
  const both = 'Thought: done\nFinal Answer: It is full.\nAction: host.disk\nAction Input: {}';
  expect(read(both, 'done')).toMatchObject({ said: { type: 'LLM_THINKING' }, turn: { kind: 'unusable' } });
  expect(read(both, 'done').said).not.toHaveProperty('content');
});

test('keeps a final answer unmasked, as the model wrote it', () => {
  const final = 'Thought: done\nFinal Answer: The user was hunter2.';
  expect(read(final)).toMatchObject({
    content: final,
    turn: { kind: 'final', analysis: 'The user was hunter2.' },
    said: { type: 'LLM_THINKING', content: 'done' },
  });
});
