import { parseArguments } from '../mcp/parameters.ts';
import { inputText } from './react/input-text.ts';
import { createScanner, type Scanner } from './react/scanner.ts';
import { type ActionName, readActionName } from './react/tool-name.ts';

/** The call of a tool as a response asks for it. */
export interface ReactToolCall {
  server: string;
  tool: string;
  /** `server.tool`, as the model wrote it. */
  name: string;
  parameters: Record<string, unknown>;
}

/** The sections that a response holds, whether or not they are of use. */
export interface FoundSections {
  thought: boolean;
  action: boolean;
  actionInput: boolean;
  finalAnswer: boolean;
}

/** Why a response says nothing that can be done. */
export type MalformedReason =
  | 'empty'
  | 'no_sections'
  | 'thought_only'
  | 'action_without_input'
  | 'input_without_action'
  | 'action_empty'
  | 'action_incomplete'
  | 'final_answer_empty';

interface Parsed {
  /** The last thought. */
  thought: string | null;
  /** The first final answer, also where a tool call takes precedence over it. */
  finalAnswer: string | null;
  found: FoundSections;
  /** The response up to an observation that the model invented; line ends as \n. */
  text: string;
}

/** A model's response in the ReAct format. */
export type ReactResponse = Parsed &
  (
    | { kind: 'thought_action'; call: ReactToolCall }
    | { kind: 'final_answer'; finalAnswer: string }
    /** An action whose name cannot be a tool's: it has no dot, or is a sentence. */
    | { kind: 'unknown_tool'; name: string; input: string }
    | { kind: 'malformed'; reason: MalformedReason }
  );

/**
 * Reads a model's response: Thought, Action with Action Input, Final Answer. Forgiving in how these are written, and
 * never throws; the work is linear in the text. A complete action takes precedence over a final answer, the last
 * action and thought over those before, the first final answer over those after.
 */
export function parseReact(response: string): ReactResponse {
  const scanner = createScanner();
  scanner.push(response);
  scanner.end();
  return resolve(scanner, response);
}

function resolve(scanner: Scanner, response: string): ReactResponse {
  const { sections } = scanner;
  const all = response.replaceAll('\r\n', '\n');
  const stop = scanner.stoppedAt();
  const finalAnswer = sections.final();
  const parsed: Parsed = {
    thought: sections.thought(),
    finalAnswer,
    found: sections.seen(),
    text: (stop === null ? all : all.slice(0, stop)).trimEnd(),
  };
  const action = sections.action();
  const lines = sections.input();
  const name = action === null ? null : readActionName(action);
  const input = lines && inputText(lines.raw, lines.style.indent, lines.style.emphasis);
  const given = name?.kind === 'tool' ? callInput(name, input, finalAnswer) : null;
  if (name?.kind === 'tool' && given !== null) {
    const { server, tool } = name;
    const call = { server, tool, name: `${server}.${tool}`, parameters: parseArguments(given) };
    return { ...parsed, kind: 'thought_action', call };
  }
  if (finalAnswer !== null) return { ...parsed, kind: 'final_answer', finalAnswer };
  if (name?.kind === 'other' && input !== null) {
    return { ...parsed, kind: 'unknown_tool', name: name.text, input };
  }
  return { ...parsed, kind: 'malformed', reason: reasonOf(parsed, name) };
}

/** The input of an action; null when it has none. `server.tool(a=1)` has it in its parentheses. */
function callInput(
  name: Extract<ActionName, { kind: 'tool' }>,
  input: string | null,
  finalAnswer: string | null,
): string | null {
  if (input === null) return finalAnswer === null ? name.arguments : null;
  return input === '' ? (name.arguments ?? '') : input;
}

function reasonOf({ found, text }: Parsed, name: ActionName | null): MalformedReason {
  if (text === '') return 'empty';
  if (found.finalAnswer) return 'final_answer_empty';
  if (name?.kind === 'empty') return 'action_empty';
  if (name?.kind === 'incomplete') return 'action_incomplete';
  if (found.action) return 'action_without_input';
  if (found.actionInput) return 'input_without_action';
  return found.thought ? 'thought_only' : 'no_sections';
}
