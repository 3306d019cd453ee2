import { isDeepStrictEqual } from 'node:util';
import { type CaseCall, type CaseDocument, type CaseTool, sorted } from './document.ts';

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
   * 1. from recorded calls of the same tool with equal arguments, else from those whose arguments mean the same
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
      const key = keyOf(call, definition);
      const before = asked.get(key) ?? 0;
      asked.set(key, before + 1);
      const alike = index.get(key) ?? [];
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

type Index = ReadonlyMap<string, CaseCall[]>;
const indexes = new WeakMap<CaseDocument, Index>();

function indexOf(document: CaseDocument, tools: ReadonlyMap<string, CaseTool>): Index {
  const known = indexes.get(document);
  if (known !== undefined) return known;
  const made = Map.groupBy(document.calls, (call) => keyOf(call, tools.get(`${call.server}.${call.tool}`)));
  indexes.set(document, made);
  return made;
}

function keyOf(call: Omit<AskedCall, 'agent'>, tool: CaseTool | undefined): string {
  return JSON.stringify([call.server, call.tool, normalized(call.arguments, tool)]);
}

/**
 * Returns arguments in a form that is equal for all arguments with the same meaning: aliases are replaced, values have
 * the type of the tool's schema, empty and default values are left out, and keys are sorted.
 */
function normalized(args: Record<string, unknown>, tool: CaseTool | undefined): unknown {
  const properties = asObject(tool?.input_schema.properties) ?? {};
  const aliases = tool?.aliases ?? {};
  const entries = Object.entries(args).flatMap(([name, written]): [string, unknown][] => {
    const key = Object.hasOwn(aliases, name) ? aliases[name]! : name;
    const schema = asObject(Object.hasOwn(properties, key) ? properties[key] : null) ?? {};
    const value = typed(written, schema);
    const isDefault = schema.default !== undefined && isDeepStrictEqual(value, typed(schema.default, schema));
    return isDefault || isEmpty(value) ? [] : [[key, value]];
  });
  return sorted(Object.fromEntries(entries));
}

/** Returns a value with the type that its schema names, where the value can be read as that type. */
function typed(value: unknown, schema: Record<string, unknown>): unknown {
  const { type } = schema;
  if (Array.isArray(value)) {
    const items = value.map((item) => typed(item, asObject(schema.items) ?? {}));
    return schema.uniqueItems === true
      ? items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      : items;
  }
  if (typeof value === 'number') return type === 'string' ? String(value) : value;
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if ((type === 'integer' || type === 'number') && text !== '' && Number.isFinite(Number(text)))
    return Number(text);
  if (type === 'boolean' && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return text;
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function asObject(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}
