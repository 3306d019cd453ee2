import { parseArguments } from '../../../../mcp/parameters.ts';
import type { TextGate } from '../../../run-context/codec.ts';
import { type ActionName, inputText, quotedLines, readActionName } from './section-text.ts';
import { readSections, type SectionName } from './sections.ts';

/** Reason why a response contains neither a usable tool call nor a final answer. */
export type MalformedReason =
  | 'empty'
  | 'no_sections'
  | 'thought_only'
  | 'action_without_input'
  | 'input_without_action'
  | 'action_empty'
  | 'action_incomplete'
  | 'input_broken'
  | 'final_answer_empty';

interface Parsed {
  thought: string | null;
  /** The first final answer, even if a tool call takes precedence; `null` if there is none. */
  finalAnswer: string | null;
  found: ReadonlySet<SectionName>;
  /** The response with `\n` line ends, cut before an observation that the model invented. */
  text: string;
}

export type ReactResponse = Parsed &
  (
    | {
        kind: 'thought_action';
        call: { server: string; name: string; parameters: Record<string, unknown> };
      }
    | { kind: 'final_answer'; finalAnswer: string }
    /** The action names no tool: its text has no dot, or is a sentence. */
    | { kind: 'unknown_tool'; name: string; input: string }
    | { kind: 'malformed'; reason: MalformedReason }
  );

/**
 * Parses a response with Thought, Action with Action Input, and Final Answer. Tolerates variants, never throws. Takes
 * linear time. A complete action takes precedence over a final answer. The last action, the last thought and the first
 * final answer count.
 */
export function parseReact(response: string): ReactResponse {
  const all = response.replaceAll('\r\n', '\n');
  const parsed = parseWhole(all);
  if (parsed.kind !== 'thought_action' || parsed.finalAnswer === null) return parsed;
  // If there is a final answer, quoted actions do not count: the answer may quote a log.
  const unquoted = parseWhole(all, quotedLines(all));
  return unquoted.kind === 'final_answer' ? unquoted : parsed;
}

function parseWhole(all: string, quoted?: ReadonlySet<number>): ReactResponse {
  const { thought, final: finalAnswer, action, input: lines, found, end } = readSections(all, quoted);
  const parsed: Parsed = { thought, finalAnswer, found, text: all.slice(0, end).trimEnd() };
  const name = action === null ? null : readActionName(action);
  const input = lines && bareInput(inputText(lines.raw, lines.style.indent, lines.style.emphasis));
  const given = name?.kind === 'tool' ? callInput(name, input, finalAnswer) : null;
  if (name?.kind === 'tool' && given !== null) {
    const { server, tool } = name;
    const parameters = parseArguments(given);
    if (!isBroken(given, parameters))
      return { ...parsed, kind: 'thought_action', call: { server, name: `${server}.${tool}`, parameters } };
    if (finalAnswer === null) return { ...parsed, kind: 'malformed', reason: 'input_broken' };
  }
  if (finalAnswer !== null) return { ...parsed, kind: 'final_answer', finalAnswer };
  const other =
    name?.kind === 'other' ? name.text : action === null ? GLUED_ACTION.exec(parsed.text)?.[1] : undefined;
  if (other !== undefined && input !== null) return { ...parsed, kind: 'unknown_tool', name: other, input };
  return { ...parsed, kind: 'malformed', reason: reasonOf(parsed, name) };
}

/** Matches an action without a tool name, directly behind a sentence: `Done.Action: look`. */
const GLUED_ACTION = /[.!?]Action[ \t]?:[ \t]{0,20}([^\s:]{1,200})[ \t]{0,20}\n\s{0,200}Action Input[ \t]?:/;
const NO_INPUT = /^(?:null|none|n\/a|""|'')$/i;
const MARKED_JSON = /^[*`]{1,3}(\{[\s\S]*\})[*`]{1,3}$/;

/** Returns an action's input without Markdown around its JSON; '' if the text means "no input", such as `none`. */
function bareInput(input: string): string {
  if (NO_INPUT.test(input)) return '';
  return MARKED_JSON.exec(input)?.[1] ?? input;
}

/** Returns true if the input starts as a JSON object and cannot be parsed as one. */
function isBroken(input: string, parameters: Record<string, unknown>): boolean {
  const body = input.replace(/^```[\w-]{0,20}\s{0,20}/, '');
  return (
    body.startsWith('{') &&
    Object.keys(parameters).join() === 'input' &&
    typeof parameters.input === 'string' &&
    parameters.input.startsWith('{')
  );
}

/**
 * Returns an action's input from its Action Input section, or from the parentheses of `server.tool(a=1)`;
 * `null` if there is none.
 */
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
  if (found.has('final')) return 'final_answer_empty';
  if (name?.kind === 'empty') return 'action_empty';
  if (name?.kind === 'incomplete') return 'action_incomplete';
  if (found.has('action')) return 'action_without_input';
  if (found.has('input')) return 'input_without_action';
  return found.has('thought') ? 'thought_only' : 'no_sections';
}

/** Number of characters held back during streaming, because they may begin a header. No header is longer. */
const HELD = 48;
const header = (words: string) =>
  `[\\s#>*_\`]{0,20}(?:${words})[*_\`]{0,3}[ \\t]{0,4}(?:[:：]|\\n)[*_\`]{0,3}`;
/** Matches a header that unmasked tool arguments or an invented observation may follow. */
const CALL = new RegExp(`${header('action(?:[ \\t_-]?input)?|observation')}|\\[Based on`, 'i');
const FIRST = new RegExp(`^(?:${header('thought|final[ \\t_-]?answer')})?\\s*`, 'i');

/**
 * Creates a gate for streamed ReAct text. The gate drops the first header, such as `Thought:`, and shows the
 * text up to the first header that may start a tool call.
 */
export function createGate(): TextGate {
  let held = '';
  let isBegun = false;
  let isShut = false;

  function pass(isAll: boolean): string {
    if (isShut || (!isAll && held.length <= HELD)) return '';
    if (!isBegun) held = held.replace(FIRST, '');
    isBegun ||= held !== '';
    const call = CALL.exec(held);
    isShut = call !== null;
    const end = call?.index ?? (isAll ? held.length : Math.max(0, held.length - HELD));
    const certain = isShut || isAll ? held.slice(0, end).trimEnd() : held.slice(0, end);
    held = held.slice(end);
    return certain;
  }

  return {
    add(delta) {
      if (!isShut) held += delta;
      return pass(false);
    },
    end: () => pass(true),
  };
}

export function mentionsInput(text: string): boolean {
  return /action[ \t_-]?input/i.test(text);
}
