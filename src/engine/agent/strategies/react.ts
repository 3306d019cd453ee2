import type { Masking } from '../../../masking/masking.ts';
import { toFunctionName } from '../../../mcp/tool-names.ts';
import type { LlmTool } from '../../model/client.ts';
import type { Codec, RawAnswer, TextOutcome, Turn } from '../../run-context/codec.ts';
import { createGate, mentionsInput, parseReact, type ReactResponse } from './react-parser/parse.ts';
import {
  MALFORMED_SUMMARY,
  malformedFeedback,
  reactConclusionPrompt,
  reactInstructions,
  unknownToolFeedback,
} from './react-prompt.ts';

/**
 * Timeline type and metadata of a thought that the model wrote in its text. Thinking that the provider sends
 * apart from the text has the source `native`.
 */
const THOUGHT = { type: 'LLM_THINKING', metadata: { source: 'react' } } as const;

/** Creates the codec for models without function calling. They name tools in text and get results as observations. */
export function reactText(masking: Pick<Masking, 'maskToolResult'>): Codec {
  /**
   * Returns a final answer unchanged. Masks all of any other text, because the text may contain a call's arguments:
   * by the settings of the called server, or by those for unknown servers if no call was parsed.
   */
  function masked(response: ReactResponse, text = response.text): string {
    if (response.kind === 'final_answer') return text;
    return masking.maskToolResult(response.kind === 'thought_action' ? response.call.server : '', text);
  }

  return {
    instructions: reactInstructions,
    offered: (reactTools) => ({ tools: [], reactTools }),
    gate: createGate,
    traced: (text) => masked(parseReact(text), text),
    partial: (text) => masked(parseReact(text)), // parseReact cuts off an invented observation
    read(answer, tools, sequence) {
      const response = parseReact(answer.text);
      const turn = turnOf(response, tools, sequence);
      return { turn, content: masked(response), said: textOutcome(response, turn, answer) };
    },
    readConclusion(answer) {
      const response = parseReact(answer.text);
      const analysis = conclusionOf(response);
      const turn: Turn = analysis === '' ? emptyTurn([]) : { kind: 'final', analysis };
      return { turn, content: response.text, said: textOutcome(response, turn, answer) };
    },
    // User messages, because a model without function calling knows no tool messages.
    results: (messages) =>
      messages.map(({ content, toolName, failed }) => ({
        role: 'USER',
        content: `Observation:\n${content}`,
        ...(toolName && { toolName }),
        ...(failed && { failed }),
      })),
    conclusionPrompt: reactConclusionPrompt,
  };
}

function turnOf(response: ReactResponse, tools: readonly LlmTool[], sequence: number): Turn {
  switch (response.kind) {
    case 'final_answer':
      return { kind: 'final', analysis: response.finalAnswer };
    case 'malformed': {
      if (response.reason === 'empty') return emptyTurn(tools);
      const problem = MALFORMED_SUMMARY[response.reason];
      return { kind: 'unusable', problem, feedback: malformedFeedback(response.reason, tools) };
    }
    case 'unknown_tool':
      return unknownTool(response.name, tools);
    case 'thought_action': {
      const { name, parameters } = response.call;
      const tool = tools.find((each) => toFunctionName(each.name) === toFunctionName(name));
      if (!tool) return unknownTool(name, tools);
      const call = { id: `react_${sequence}`, name: tool.name, arguments: JSON.stringify(parameters) };
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

/** Returns the final form of the streamed timeline item: the thought if there is one, otherwise the analysis. */
function textOutcome(response: ReactResponse, turn: Turn, { shown }: RawAnswer): TextOutcome {
  const { thought } = response;
  if (turn.kind === 'final' && (thought === null || response.finalAnswer === null))
    return { type: 'FINAL_ANALYSIS', content: turn.analysis };
  if (thought === null) return {};
  const isWithdrawn = turn.kind !== 'final' && response.finalAnswer !== null;
  // A malformed response may contain unmasked arguments anywhere, so viewers keep only the part already shown.
  const isSafe = shown.includes(thought) || (response.kind !== 'malformed' && !mentionsInput(thought));
  return isWithdrawn || !isSafe ? THOUGHT : { ...THOUGHT, content: thought };
}

/** Returns the analysis in a concluding response of any format; '' if there is none. */
function conclusionOf(response: ReactResponse): string {
  if (response.finalAnswer !== null) return response.finalAnswer;
  const isPlain = response.kind === 'malformed' && response.reason === 'no_sections';
  return isPlain ? response.text.trim() : (response.thought ?? '');
}
