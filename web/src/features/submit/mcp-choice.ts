import type { McpSelectionInput } from '../../graphql/gen/documents.ts';

/** Servers and tools that the viewer selected: for each server, all its tools or a list of names. */
export type ServerChoice = Readonly<Record<string, 'all' | readonly string[]>>;

export const NATIVE_TOOLS = {
  googleSearch: 'Google search',
  codeExecution: 'Code execution',
  urlContext: 'URL context',
} as const;
export type NativeTool = keyof typeof NATIVE_TOOLS;
/** Native tools that the viewer switched on or off; the others keep the provider's configuration. */
export type NativeChoice = Readonly<Partial<Record<NativeTool, boolean>>>;

/** The viewer's choice of MCP servers and native tools; if `servers` is `null`, the chain's servers are used. */
export interface McpChoice {
  readonly servers: ServerChoice | null;
  readonly native: NativeChoice;
}

export const NO_CHOICE: McpChoice = { servers: null, native: {} };

/** Adds a server with all its tools, or removes it. */
export function toggleServer(servers: ServerChoice, name: string): ServerChoice {
  const { [name]: present, ...others } = servers;
  return present === undefined ? { ...servers, [name]: 'all' } : others;
}

/** Adds or removes one tool; `known` lists all tools of the server. Removing the last tool removes the server. */
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
 * Returns the input for the API; `null` if nothing is selected. If only native tools are selected, `usual` (the chain's
 * servers) is sent, because the API requires server names.
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

/** Parses the tool choice of an earlier alert (untyped JSON); an invalid choice counts as none. */
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
  return named.length > 0 ? [[name, named]] : []; // a server without valid tools is left out
}
