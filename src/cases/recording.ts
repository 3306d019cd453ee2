import { isDeepStrictEqual } from 'node:util';
import { normalizedArguments } from './arguments.ts';
import type { CaseCall, CaseDocument, CaseTool } from './document.ts';

/** How a call was answered: from an equal call, from one that means the same, or not from the recording. */
export type Recorded = 'EXACT' | 'EQUIVALENT' | 'UNRECORDED';

export interface RecordedAnswer {
  recorded: Recorded;
  text: string;
  isError: boolean;
}

interface AskedCall {
  agent: string;
  server: string;
  tool: string;
  arguments: Record<string, unknown>;
}

/** The recorded calls of a case. One recording answers one agent, because repeated calls are counted. */
export interface Recording {
  /**
   * Answers a call:
   * 1. from recorded calls of the same tool with equal arguments, else from those whose arguments mean the same, else
   *    from those that differ only in how the answer looks, else from partial ones
   * 2. preferably from calls of the same agent
   * 3. the nth call from the nth of them; later calls from the last one
   */
  answer(call: AskedCall): RecordedAnswer;
}

/** Text for a call that an open world does not contain. The result counts as failed, so that it proves nothing. */
const NOT_RECORDED =
  'Not recorded: this investigation is a replay, and its recording has no answer to this call. Nothing is known about what the call asked for: this is neither an outage nor a sign of absence. Use other calls, or state the gap.';
const NOT_FOUND = 'Not found: nothing matches these arguments.';

/** Opens a recording. Indexes the calls once per document. */
export function openRecording(document: CaseDocument): Recording {
  const { world, tools } = document;
  const definitions = new Map(tools.map((tool) => [`${tool.server}.${tool.name}`, tool]));
  const index = indexOf(document, definitions);
  const asked = new Map<string, number>();

  return {
    answer({ agent, ...call }) {
      const definition = definitions.get(`${call.server}.${call.tool}`);
      const meant = normalizedArguments(call.arguments, definition);
      const key = keyOf(call, meant);
      const before = asked.get(key) ?? 0;
      asked.set(key, before + 1);
      const alike = index.alike.get(key) ?? similar(index.byTool.get(toolKey(call)) ?? [], meant, definition);
      if (alike.length === 0) {
        if (world === 'open') return { recorded: 'UNRECORDED', text: NOT_RECORDED, isError: true };
        return { recorded: 'UNRECORDED', text: definition?.not_found ?? NOT_FOUND, isError: false };
      }
      const equal = alike.filter((one) => isDeepStrictEqual(one.arguments, call.arguments));
      const matching = equal.length > 0 ? equal : alike;
      const own = matching.filter((one) => one.agent === agent);
      const candidates = own.length > 0 ? own : matching;
      const { output: text, error: isError } = candidates[Math.min(before, candidates.length - 1)]!;
      return { recorded: equal.length > 0 ? 'EXACT' : 'EQUIVALENT', text, isError };
    },
  };
}

/** A recorded call with its arguments in the form in which they are compared. */
interface IndexedCall {
  call: CaseCall;
  meant: Record<string, unknown>;
}

interface Index {
  alike: ReadonlyMap<string, CaseCall[]>;
  byTool: ReadonlyMap<string, IndexedCall[]>;
}
const indexes = new WeakMap<CaseDocument, Index>();

function indexOf(document: CaseDocument, tools: ReadonlyMap<string, CaseTool>): Index {
  const known = indexes.get(document);
  if (known !== undefined) return known;
  const alike = new Map<string, CaseCall[]>();
  const byTool = new Map<string, IndexedCall[]>();
  for (const call of document.calls) {
    const meant = normalizedArguments(call.arguments, tools.get(`${call.server}.${call.tool}`));
    add(alike, keyOf(call, meant), call);
    add(byTool, toolKey(call), { call, meant });
  }
  const made = { alike, byTool };
  indexes.set(document, made);
  return made;
}

function add<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

type Called = Pick<AskedCall, 'server' | 'tool'>;
const toolKey = ({ server, tool }: Called) => JSON.stringify([server, tool]);
const keyOf = ({ server, tool }: Called, meant: Record<string, unknown>) =>
  JSON.stringify([server, tool, meant]);

/**
 * Returns the recorded calls that answer a call without being alike: those that differ only in how the answer looks,
 * otherwise the partial ones whose arguments the call has. Returns only those that have most in common with it.
 */
function similar(
  recorded: readonly IndexedCall[],
  meant: Record<string, unknown>,
  tool: CaseTool | undefined,
): CaseCall[] {
  const display = tool?.display ?? [];
  const searched = (args: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(args).filter(([name]) => !display.includes(name)));
  const common = (args: Record<string, unknown>) =>
    Object.entries(args).filter(([name, value]) => isDeepStrictEqual(meant[name], value)).length;
  const looksOther =
    display.length === 0
      ? []
      : recorded.filter((one) => isDeepStrictEqual(searched(one.meant), searched(meant)));
  const found =
    looksOther.length > 0
      ? looksOther
      : recorded.filter((one) => one.call.partial && common(one.meant) === Object.keys(one.meant).length);
  const most = Math.max(...found.map((one) => common(one.meant)));
  return found.filter((one) => common(one.meant) === most).map(({ call }) => call);
}
