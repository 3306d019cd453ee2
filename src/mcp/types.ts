import type { ApprovalTerms, ToolClass } from '../config/tool-policy.ts';
import type { ToolRulesConfig, TransportConfig } from '../config/types.ts';

/** MCP's ToolAnnotations as the server declares them; `null` if it declares none. They are hints and may be wrong. */
export interface ToolAnnotations {
  readOnly: boolean | null;
  destructive: boolean | null;
  idempotent: boolean | null;
  openWorld: boolean | null;
}

/** Reason why models see less of a schema than the server wrote: it is too large, or describes no object. */
export type SchemaChange = 'shortened' | 'unusable';

export interface ListedTool
  extends Pick<ToolDefinition, 'name' | 'description' | 'inputSchema' | 'outputSchema'> {
  annotations: ToolAnnotations;
  /** `null` if models see the whole input schema. */
  schemaChange: SchemaChange | null;
  /** True if the tool can only be called as a background task, which this client does not support. */
  taskOnly: boolean;
}

export interface ToolDefinition {
  /** Canonical name, `server.tool`. */
  name: string;
  description: string;
  /** JSON Schema of an object. Limited in size, otherwise as the server sent it: untrusted. */
  inputSchema: Record<string, unknown>;
  /** JSON Schema of structured answers; `null` if the server declares no usable one. Untrusted. */
  outputSchema?: Record<string, unknown> | null;
  toolClass: ToolClass;
  annotations: ToolAnnotations;
  /** True if a call needs no approval and repeating it with the same arguments changes nothing more. */
  repeatable: boolean;
  /** Conditions under which approvers may approve a call; `null` if calls need no approval. */
  ask: (ApprovalTerms & { policy: string }) | null;
}

export interface KnownTool {
  server: string;
  /** The tool's name on its server. */
  tool: string;
  definition: ToolDefinition;
}

export interface LeftOutTool {
  server: string;
  /** The tool's name on its server: untrusted. */
  tool: string;
  reason: string;
  /** withheld: denied by policy; findable: the list is full, `find_tools` finds it; unusable: it cannot be called. */
  kind: 'withheld' | 'findable' | 'unusable';
}

/** A tool call as the model made it. */
export interface ToolCallRequest {
  id: string;
  /** `server.tool` or `server__tool`. */
  name: string;
  /** The text that the model wrote as arguments. */
  arguments: string;
}

/** The result of a tool call. `content` is masked and limited in length. */
export interface ToolResult {
  content: string;
  /** True if the tool, its server or the call failed; `content` then has the reason. */
  isError: boolean;
  /** '' if the called name contains no server. */
  serverName: string;
  toolName: string;
  /** The parsed arguments; `null` if the call failed before they were parsed. */
  arguments: Record<string, unknown> | null;
  durationMs: number;
  /** True if the call may have reached its tool and its outcome is unknown. */
  outcomeUnknown?: boolean;
  /** Stable code of the failure; absent on success. */
  errorCode?: string;
  /** The MCP session that the call used; absent if it reached no server. */
  session?: McpSessionInfo;
  /** In a replay: how the recording answered the call. */
  recorded?: 'EXACT' | 'EQUIVALENT' | 'UNRECORDED';
}

/** Facts about an MCP session, for traces. */
export interface McpSessionInfo {
  transport: McpTransportSettings['type'];
  /** URL of the server; `null` for stdio. */
  url: string | null;
  /** Id that the server gave the session; `null` if none. */
  sessionId: string | null;
  /** Revision of the protocol; `null` if unknown. */
  protocolVersion: string | null;
}

export interface ToolCallOptions {
  signal: AbortSignal;
  timeoutMs: number;
  /** True if approvers approved exactly this call. Tools that need approval are refused without it. */
  approved?: boolean;
  /** W3C trace context of the call, which its server receives; `null` or absent if calls are not traced. */
  traceparent?: string | null | undefined;
}

export interface ResolvedCall extends KnownTool {
  parameters: Record<string, unknown>;
  /** True if the parameters match the tool's schema. */
  isValid: boolean;
}

export interface ToolExecutor {
  /** Returns the tools to offer now, ordered by server and then as the server lists them. */
  listTools(signal?: AbortSignal): Promise<ToolDefinition[]>;
  /**
   * Calls a tool. A failure is a result with `isError`; throws only `options.signal.reason`. `timeoutMs` includes
   * retries and is overridden by the server's settings.
   */
  execute(call: ToolCallRequest, options: ToolCallOptions): Promise<ToolResult>;
  /** Returns the tool and parsed arguments of a call without making it; `null` if the name matches no callable tool. */
  resolveCall(call: Pick<ToolCallRequest, 'name' | 'arguments'>): ResolvedCall | null;
  leftOutTools(): readonly LeftOutTool[];
  wasFound(name: string): boolean;
  offerMentioned(conversation: string): void;
  /** Unavailable servers by name, with the masked reason. */
  unavailableServers(): ReadonlyMap<string, string>;
  /** Ends all sessions in parallel, except pooled ones. May be called again. */
  close(): Promise<void>;
}

/** `Configured` with only `Required` mandatory. A missing key means the same as `null`. */
type WithRequired<Configured, Required extends keyof Configured> = Pick<Configured, Required> & {
  readonly [Key in keyof Configured]?: Configured[Key] | null | undefined;
};

export type McpTransportSettings = StdioTransportSettings | RemoteTransportSettings;

export type StdioTransportSettings = WithRequired<
  Extract<TransportConfig, { type: 'stdio' }>,
  'type' | 'command'
> & {
  cwd?: string;
};

/** Settings over HTTP or SSE, with at most one of bearer token, bearer token file and OAuth. */
export type RemoteTransportSettings = WithRequired<Omit<RemoteTransport, 'oauth'>, 'type' | 'url'> & {
  readonly oauth?: McpOAuthSettings | null;
};

/** OAuth client credentials, with exactly one of secret, secret file and private key file. */
export type McpOAuthSettings = WithRequired<NonNullable<RemoteTransport['oauth']>, 'clientId' | 'issuer'>;

type RemoteTransport = Exclude<TransportConfig, { type: 'stdio' }>;

export interface McpServerSettings {
  id: string;
  transport: McpTransportSettings;
  /** @default DEFAULT_TOOL_RULES */
  rules?: ToolRulesConfig;
  /** True if agents may share sessions one after another. @default false */
  reuse?: boolean;
}

/** The servers and tools that an agent may use. */
export interface McpSelection {
  /** The text that ranks tools when not all fit into the offer, such as the alert. */
  about?: string;
  /** `tools` is `null` for all tools of the server; an empty list selects none. */
  servers: { name: string; tools: readonly string[] | null }[];
  /** Patterns of `server.tool` that further restrict the tools; `null` if there is no such restriction. */
  only?: readonly string[] | null;
  /** The agent that gets the tools. Only replays use it, to answer from the calls of the same agent. */
  agent?: { name: string; executionId: string };
}
