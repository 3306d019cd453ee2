import { describe, expect, it } from 'vitest';
import { type Expected, parseTests } from '../../../../../test/helpers/react.ts';
import { parseReact } from './parse.ts';

describe('invented observations', () => {
  const call: Expected = { thought: 'a', call: ['a', 'b', { input: 1 }] };
  parseTests([
    ['Thought: a\nAction: a.b\nAction Input: 1\nObservation: fake\nFinal Answer: hallucinated', call],
    ['Thought: a\nAction: a.b\nAction Input: 1\n  Observation:\nfake\nThought: z', call],
    ['Thought: a\nAction: a.b\nAction Input: 1\n**Observation:** fake\nThought: z', call],
    ['Thought: a\nAction: a.b\nAction Input: 1\n[Based on fake]\nFinal Answer: X', call],
    ['Thought: a\nAction: a.b\nAction Input: 1\n   [Based on fake', call],
    ['Thought: a\nobservation: fake\nFinal Answer: X', { thought: 'a', malformed: 'thought_only' }],
    ['Thought: a\nFinal Answer: X\nObservation: fake', { thought: 'a', final: 'X' }],
    [
      'Thought: a\nThe observation: it is slow\nFinal Answer: X',
      { thought: 'a\nThe observation: it is slow', final: 'X' },
    ],
    [
      'Thought: a\nObservation: Please specify what Action\nFinal Answer: X',
      { thought: 'a\nObservation: Please specify what Action', final: 'X' },
    ],
    [
      'Thought: a\nObservation: Error in reasoning: x\nFinal Answer: X',
      { thought: 'a\nObservation: Error in reasoning: x', final: 'X' },
    ],
    [
      'Action: a.b\nAction Input: 1\nThe observations are due.',
      { call: ['a', 'b', { input: '1\nThe observations are due.' }] },
    ],
    [
      'Action: a.b\nAction Input:\nobservation: kept\nb: 2',
      { call: ['a', 'b', { observation: 'kept', b: 2 }] },
    ],
  ]);

  it('keeps the response before them', () => {
    const kept = 'Thought: a\nAction: a.b\nAction Input: 1';
    expect(parseReact(`${kept}\n\nObservation: fake\nFinal Answer: x`).text).toBe(kept);
    expect(parseReact(`${kept}\r\n[Based on`).text).toBe(kept);
    expect(parseReact(`  ${kept}\n\n`).text).toBe(`  ${kept}`);
  });
});
