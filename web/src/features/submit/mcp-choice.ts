import type { McpSelectionInput } from '../../graphql/gen/documents.ts';

/** Which tools an alert's agents may use: by server, either all of its tools or those named. */
export type ServerChoice = Readonly<Record<string, 'all' | readonly string[]>>;

export const NATIVE_TOOLS = {
  googleSearch: 'Google search',
  codeExecution: 'Code execution',
  urlContext: 'Reading web pages',
} as const;
export type NativeTool = keyof typeof NATIVE_TOOLS;
/** What is not named stays as the provider's configuration has it. */
export type NativeChoice = Readonly<Partial<Record<NativeTool, boolean>>>;

/** Null servers: those of the chain. */
export interface McpChoice {
  readonly servers: ServerChoice | null;
  readonly native: NativeChoice;
}

export const NO_CHOICE: McpChoice = { servers: null, native: {} };

/** The servers with `name` in or out; all of its tools when it comes in. */
export function toggleServer(servers: ServerChoice, name: string): ServerChoice {
  const { [name]: present, ...others } = servers;
  return present === undefined ? { ...servers, [name]: 'all' } : others;
}

/** The servers with one tool in or out; `known` are all tools of that server. The last one to go takes the server. */
export function toggleTool(
  servers: ServerChoice,
  name: string,
  tool: string,
  known: readonly string[],
): ServerChoice {
  const before = servers[name];
  const chosen = before === 'all' ? known : (before ?? []);
  const after = chosen.includes(tool) ? chosen.filter((each) => each !== tool) : [...chosen, tool];
  if (after.length === 0) return before === undefined ? servers : toggleServer(servers, name);
  const whole = known.every((each) => after.includes(each));
  return { ...servers, [name]: whole ? 'all' : known.filter((each) => after.includes(each)) };
}

/**
 * What is sent: null when nothing is chosen. A choice always names the servers, which the agents get of the chain's; where only
 * the provider's own tools are chosen they are the `usual` ones.
 */
export function mcpInput({ servers, native }: McpChoice, usual: readonly string[]): McpSelectionInput | null {
  const hasNative = Object.keys(native).length > 0;
  if (servers === null && !hasNative) return null;
  const chosen = servers ?? Object.fromEntries(usual.map((name) => [name, 'all' as const]));
  return {
    servers: Object.entries(chosen).map(([name, tools]) => ({ name, tools: tools === 'all' ? null : tools })),
    nativeTools: hasNative ? native : null,
  };
}

/** The choice that an earlier alert was sent with; what does not look like one is none. */
export function choiceOf(selection: unknown): McpChoice {
  if (typeof selection !== 'object' || selection === null) return NO_CHOICE;
  const { servers, nativeTools } = selection as { servers?: unknown; nativeTools?: unknown };
  const native = (nativeTools ?? {}) as Record<string, unknown>;
  return {
    servers: Array.isArray(servers) ? Object.fromEntries(servers.flatMap(serverEntry)) : null,
    native: Object.fromEntries(
      Object.keys(NATIVE_TOOLS).flatMap((tool) =>
        typeof native[tool] === 'boolean' ? [[tool, native[tool]]] : [],
      ),
    ),
  };
}

function serverEntry(server: unknown): [string, 'all' | string[]][] {
  const { name, tools } = (server ?? {}) as { name?: unknown; tools?: unknown };
  if (typeof name !== 'string') return [];
  if (!Array.isArray(tools)) return [[name, 'all']];
  const named = tools.filter((tool) => typeof tool === 'string');
  return named.length > 0 ? [[name, named]] : []; // none of its tools
}
