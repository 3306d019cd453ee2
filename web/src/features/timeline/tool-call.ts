import { parseJson } from '../../lib/parse-json.ts';

export interface ToolCallFacts {
  /** Format `server.tool`. */
  readonly name: string;
  readonly args: unknown;
  readonly isError: boolean;
  /** True if the call was interrupted before its result was stored. */
  readonly isInterrupted: boolean;
}

/** Reads a tool call's metadata, which is untyped in the API; missing fields get neutral values. */
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

/** Parses arguments that are a JSON string, as models send them; returns other values unchanged. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? null;
  try {
    return parseJson(value);
  } catch {
    return value;
  }
}

/** True if there are no arguments to show. */
export function isEmptyArgs(args: unknown): boolean {
  return args === null || args === '' || (typeof args === 'object' && Object.keys(args).length === 0);
}

/** Returns the arguments as the opened call shows them; an empty text without arguments. */
export function argumentsText(args: unknown): string {
  if (isEmptyArgs(args)) return '';
  return typeof args === 'string' ? args : JSON.stringify(args, null, 2);
}
