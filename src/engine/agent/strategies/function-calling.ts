import type { Codec, ParsedAnswer } from '../../run-context/codec.ts';
import { brokenResponsePrompt, EMPTY_RESPONSE_PROMPT } from '../iteration.ts';

/** Codec for models with function calling. A text without a call is the final answer. */
export const functionCalling: Codec = {
  instructions: () => undefined,
  offered: (tools) => ({ tools }),
  gate: () => ({ add: (delta) => delta, end: () => '' }),
  traced: (text) => text,
  partial: (text) => text,
  read({ text, toolCalls, ...answer }) {
    if (toolCalls.length === 0) return functionCalling.readConclusion({ text, toolCalls, ...answer });
    return { turn: { kind: 'calls', calls: toolCalls }, content: text, said: {} };
  },
  readConclusion({ text }): ParsedAnswer {
    if (text.trim() === '')
      return { turn: { kind: 'empty', feedback: EMPTY_RESPONSE_PROMPT }, content: text, said: {} };
    return { turn: { kind: 'final', analysis: text }, content: text, said: { type: 'FINAL_ANALYSIS' } };
  },
  results: (messages) => messages,
  brokenPrompt: brokenResponsePrompt,
  conclusionPrompt: (words) => words,
};
