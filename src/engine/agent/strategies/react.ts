import type { ToolCallValue } from '../../../db/entities/index.ts';
import type { Masking } from '../../../masking/masking.ts';
import { toFunctionName } from '../../../mcp/tool-names.ts';
import type { LlmTool } from '../../model/client.ts';
import type { Codec, ModelAnswer, TextOutcome, Turn } from '../../run-context/codec.ts';
import { parseReact, type ReactResponse } from './react-parser/parse.ts';
import { createGate, mentionsInput } from './react-parser/streaming-gate.ts';
import {
  malformedFeedback,
  malformedSummary,
  reactBrokenResponsePrompt,
  reactConclusionPrompt,
  reactInstructions,
  unknownToolFeedback,
} from './react-prompt.ts';

/** The model wrote it as text, as it was told to; what a provider tells apart by itself is `native`. */
const THOUGHT = { type: 'LLM_THINKING', metadata: { source: 'react' } } as const;

/**
 * Models without function calling: they are told in the prompt how to name a tool in their text, and get its result as
 * an observation in the next message, until they write a final answer. An answer that cannot be used stays in the
 * conversation and is answered with what is wrong with it.
 */
export function reactText(masking: Pick<Masking, 'maskToolResult'>): Codec {
  /** The arguments of a call are part of the text, so all of it is masked, by the settings of the server that it calls. */
  function kept(response: ReactResponse, text = response.text): string {
    if (response.kind === 'final_answer') return text;
    return masking.maskToolResult(response.kind === 'thought_action' ? response.call.server : '', text);
  }

  return {
    instructions: reactInstructions,
    offered: (reactTools) => ({ tools: [], reactTools }),
    gate: createGate,
    traced: (text) => kept(parseReact(text), text),
    partial: (text) => kept(parseReact(text)), // without an observation that the model invented
    read(answer, tools, sequence) {
      const response = parseReact(answer.text);
      const turn = turnOf(response, tools, sequence);
      return { turn, content: kept(response), said: saidBy(response, turn, answer) };
    },
    readConclusion(answer) {
      const response = parseReact(answer.text);
      const analysis = conclusionOf(response);
      const turn: Turn = analysis === '' ? emptyTurn([]) : { kind: 'final', analysis };
      return { turn, content: response.text, said: saidBy(response, turn, answer) };
    },
    // This conversation has no tool messages.
    results: (messages) =>
      messages.map(({ content, toolName, failed }) => ({
        role: 'USER',
        content: `Observation:\n${content}`,
        ...(toolName && { toolName }),
        ...(failed && { failed }),
      })),
    brokenPrompt: reactBrokenResponsePrompt,
    conclusionPrompt: reactConclusionPrompt,
  };
}

function turnOf(response: ReactResponse, tools: readonly LlmTool[], sequence: number): Turn {
  switch (response.kind) {
    case 'final_answer':
      return { kind: 'final', analysis: response.finalAnswer };
    case 'malformed': {
      if (response.reason === 'empty') return emptyTurn(tools);
      const problem = malformedSummary(response.reason);
      return { kind: 'unusable', problem, feedback: malformedFeedback(response.reason, tools) };
    }
    case 'unknown_tool':
      return unknownTool(response.name, tools);
    case 'thought_action': {
      const { name, parameters } = response.call;
      const tool = tools.find((each) => toFunctionName(each.name) === toFunctionName(name));
      if (!tool) return unknownTool(name, tools);
      const call: ToolCallValue = {
        id: `react_${sequence}`,
        name: tool.name,
        arguments: JSON.stringify(parameters),
      };
      return { kind: 'calls', calls: [call] };
    }
  }
}

function emptyTurn(tools: readonly LlmTool[]): Turn {
  return { kind: 'empty', feedback: malformedFeedback('empty', tools) };
}

function unknownTool(name: string, tools: readonly LlmTool[]): Turn {
  const problem = `The response names a tool that does not exist: ${name}`;
  return { kind: 'unusable', problem, feedback: unknownToolFeedback(name, tools) };
}

/** Beside a thought the analysis is an item of its own; without one the text that streamed is the analysis. */
function saidBy(response: ReactResponse, turn: Turn, { shown }: ModelAnswer): TextOutcome {
  const { thought } = response;
  if (turn.kind === 'final' && (thought === null || response.finalAnswer === null))
    return { type: 'FINAL_ANALYSIS', content: turn.analysis };
  if (thought === null) return {};
  const isWithdrawn = turn.kind !== 'final' && response.finalAnswer !== null;
  // What is malformed may hold arguments where no one looks for them: it stays as far as it was shown.
  const isSafe = shown.includes(thought) || (response.kind !== 'malformed' && !mentionsInput(thought));
  return isWithdrawn || !isSafe ? THOUGHT : { ...THOUGHT, content: thought };
}

/** A last response counts in whatever form it is: better an analysis without its header than none. */
function conclusionOf(response: ReactResponse): string {
  if (response.finalAnswer !== null) return response.finalAnswer;
  const isPlain = response.kind === 'malformed' && response.reason === 'no_sections';
  return isPlain ? response.text.trim() : (response.thought ?? '');
}
