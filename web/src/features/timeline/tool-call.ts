import { parseJson } from '../../lib/parse-json.ts';

/** What a tool call's metadata says. */
export interface ToolCallFacts {
  /** `server.tool`. */
  readonly name: string;
  readonly args: unknown;
  readonly isError: boolean;
  /** It was broken off before it had a result that is stored. */
  readonly isInterrupted: boolean;
}

/** Reads a tool call's metadata, which the contract leaves open: whatever is missing is shown as missing. */
export function toolCallFacts(metadata: unknown): ToolCallFacts {
  const members =
    typeof metadata === 'object' && metadata !== null ? (metadata as Record<string, unknown>) : {};
  const server = word(members.server_name ?? members.serverName);
  const tool = word(members.tool_name ?? members.toolName);
  return {
    name: server === '' || tool.startsWith(`${server}.`) ? tool || 'Tool call' : `${server}.${tool}`,
    args: parsed(members.arguments),
    isError: (members.is_error ?? members.isError) === true,
    isInterrupted: members.interrupted === true,
  };
}

const word = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A model sends its arguments as JSON in a string. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? null;
  try {
    return parseJson(value);
  } catch {
    return value;
  }
}

/** Arguments there are none to show of: no object, or an empty one. */
export function isEmptyArgs(args: unknown): boolean {
  return args === null || args === '' || (typeof args === 'object' && Object.keys(args).length === 0);
}
