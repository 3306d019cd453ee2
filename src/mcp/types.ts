import type { Logger } from 'pino';
import type { ApprovalTerms, ToolClass } from '../config/tool-policy.ts';
import type { ToolRulesConfig, TransportConfig } from '../config/types.ts';
import type { KeptSessions } from './session-pool.ts';
import type { ToolAnnotations } from './tool-class.ts';

/** A tool as a controller offers it to the model. */
export interface ToolDefinition {
  /** Canonical name, `server.tool`. */
  name: string;
  description: string;
  /** JSON Schema of an object. Bounded, otherwise as the server gave it: untrusted. */
  inputSchema: Record<string, unknown>;
  /** The same of its structured answers; null: it declares none that can be used. */
  outputSchema?: Record<string, unknown> | null;
  toolClass: ToolClass;
  annotations: ToolAnnotations;
  /** Calling it again with the same arguments changes nothing more. */
  repeatable: boolean;
  /** People are asked before each call, under these terms; null = nobody is. */
  ask: (ApprovalTerms & { policy: string }) | null;
}

/** A tool that a server has and the model does not get. */
export interface LeftOutTool {
  server: string;
  /** The server's own name for it: untrusted. */
  tool: string;
  /** In words. */
  reason: string;
  /** withheld: by policy, as it may change something; findable: the list would be too long; unusable: it cannot be called. */
  kind: 'withheld' | 'findable' | 'unusable';
}

/** A tool call as the model made it. */
export interface ToolCallRequest {
  id: string;
  /** `server.tool` or `server__tool`. */
  name: string;
  /** The text the model gave as arguments. */
  arguments: string;
}

/** What a tool call came to. Content is masked, bounded text. */
export interface ToolResult {
  content: string;
  /** The tool, its server or the call failed; `content` then says what. */
  isError: boolean;
  /** Empty when the name of the call names no server. */
  serverName: string;
  toolName: string;
  /** The parsed arguments; null when the call did not get that far. */
  arguments: Record<string, unknown> | null;
  durationMs: number;
  /** The call may have reached its tool, and nobody knows what came of it. */
  isUnknown?: boolean;
}

export interface ToolCallOptions {
  signal: AbortSignal;
  timeoutMs: number;
  /** People approved exactly this call; without it no tool is called about which people are asked. */
  approved?: boolean;
}

export interface LookedUp {
  server: string;
  tool: string;
  definition: ToolDefinition;
  parameters: Record<string, unknown>;
  /** The parameters are what the tool's schema wants. */
  fits: boolean;
}

/** The MCP tools of one agent execution. */
export interface ToolExecutor {
  /**
   * The tools to offer now, in a stable order (server order, then as the server lists them). The same list until a
   * server came or changed its tools, or a search added to it.
   */
  listTools(signal?: AbortSignal): Promise<ToolDefinition[]>;
  /**
   * Calls a tool. A failure of the tool or its server is a result with isError, never a throw.
   * Throws only `options.signal.reason` when aborted. `timeoutMs` covers a retry too; where the
   * server has a limit of its own, that counts.
   */
  execute(call: ToolCallRequest, options: ToolCallOptions): Promise<ToolResult>;
  /** The tool that a call names, with the arguments as it would get them; null when none can be called by this name. */
  lookUp(call: Pick<ToolCallRequest, 'name' | 'arguments'>): LookedUp | null;
  /** What the servers have beyond what was offered first. */
  leftOutTools(): readonly LeftOutTool[];
  /** Whether a tool is offered because it was searched for or called, and not from the start. */
  wasFound(name: string): boolean;
  /** Offers again what an earlier run of this conversation found or called. */
  recall(conversation: string): void;
  /** Servers that are not there, with the reason in words. */
  unavailableServers(): ReadonlyMap<string, string>;
  /** Ends all sessions side by side; when it returns no child process is left but those of sessions that are kept. May be called again. */
  close(): Promise<void>;
}

/** Of what the configuration says, these must be said; null and left out mean the same. */
type Said<Configured, Required extends keyof Configured> = Pick<Configured, Required> & {
  readonly [Key in keyof Configured]?: Configured[Key] | null | undefined;
};

/** How a server is reached. */
export type McpTransportSettings = StdioTransportSettings | RemoteTransportSettings;

export type StdioTransportSettings = Said<Extract<TransportConfig, { type: 'stdio' }>, 'type' | 'command'> & {
  cwd?: string;
};

/** At most one of the bearer token, its file and OAuth is there. */
export type RemoteTransportSettings = Said<Omit<RemoteTransport, 'oauth'>, 'type' | 'url'> & {
  readonly oauth?: McpOAuthSettings | null;
};

/** OAuth client credentials. One of the secret, its file and the key's file is there. */
export type McpOAuthSettings = Said<NonNullable<RemoteTransport['oauth']>, 'clientId' | 'issuer'>;

type RemoteTransport = Exclude<TransportConfig, { type: 'stdio' }>;

/** One configured MCP server. */
export interface McpServerSettings {
  id: string;
  transport: McpTransportSettings;
  /** Default: STANDARD_RULES. */
  rules?: ToolRulesConfig;
  /** Whether one agent's session may be the next one's; default false. */
  reuse?: boolean;
}

/** The servers an agent may use, and of each which tools; null means all, an empty list none. */
export interface McpSelection {
  /** What the tools are needed for: where not all can be offered, those that fit it are. */
  about?: string;
  servers: { name: string; tools: readonly string[] | null }[];
  /** Patterns of `server.tool`: of those tools the agent has no others; null = all. */
  only?: readonly string[] | null;
}

interface McpLimits {
  /** Connecting and listing the tools of one server. */
  initTimeoutMs: number;
  /** Characters of one result. */
  maxResultChars: number;
  /** Tools over all servers that are offered at once. */
  maxTools: number;
  /** UTF-16 code units of their names, descriptions and schemas. */
  maxToolUnits: number;
}

export interface ToolExecutorDeps {
  servers: ReadonlyMap<string, McpServerSettings>;
  selection: McpSelection;
  logger: Logger;
  limits: McpLimits;
  /** Takes secrets out of what a server returned. When it throws, the whole text is withheld. */
  maskResult?: (serverId: string, text: string) => string;
  /** Servers that were not there when somebody looked last, with the reason: they are not waited for. Never rejects. */
  knownDead?: () => Promise<ReadonlyMap<string, string>>;
  /** Where sessions of servers that may be reused come from and go to; without it each is opened and ended here. */
  keptSessions?: KeptSessions | undefined;
  /** Aborts connecting. */
  signal?: AbortSignal;
}
