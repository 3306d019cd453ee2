import type { AccessConfig, AuditConfig, AuthConfig } from './access-types.ts';
import type { Effort, IterationStrategy, LlmProviderType, NativeTool, SuccessPolicy } from './enums.ts';
import type { IntakeConfig } from './intake-types.ts';
import type { MaskingGroup } from './masking-names.ts';
import type { McpServerConfig } from './mcp-types.ts';
import type { Named, Origin } from './named.ts';

export type { AccessConfig, AuditConfig, AuthConfig, OidcConfig, RoleMembers } from './access-types.ts';
export type {
  CanaryConfig,
  FieldPath,
  GenericMapping,
  IntakeConfig,
  IntakeRule,
  SignatureConfig,
  SourceConfig,
  SourceProof,
  StormConfig,
} from './intake-types.ts';
export type {
  CustomPatternConfig,
  DataMaskingConfig,
  HttpTransportConfig,
  McpOAuthConfig,
  McpServerConfig,
  StdioTransportConfig,
  ToolRulesConfig,
} from './mcp-types.ts';
export type { Named, Origin } from './named.ts';

/** Everything the operator decides, complete and deeply frozen. `…Ms` are milliseconds. */
export interface Config {
  readonly queue: QueueConfig;
  readonly system: SystemConfig;
  readonly auth: AuthConfig;
  readonly access: AccessConfig;
  readonly audit: AuditConfig;
  readonly api: ApiConfig;
  readonly defaults: DefaultsConfig;
  readonly intake: IntakeConfig;
  readonly mcpServers: Named<McpServerConfig>;
  readonly agents: Named<AgentConfig>;
  readonly chains: Named<ChainConfig>;
  readonly llmProviders: Named<LlmProviderConfig>;
  /** Why `defaults.llmProvider` is what it is, for people. */
  readonly providerChoice: ProviderChoice;
  /** What will not work though the files are valid, such as a named provider without its key. For people. */
  readonly warnings: readonly string[];
  /** The files that were read; empty = built-ins only. */
  readonly files: readonly string[];
  /** `text` with every value that came from a secret-looking environment variable as `***`. */
  readonly redact: (text: string) => string;
}

export interface ProviderChoice {
  readonly name: string;
  readonly reason: string;
}

export interface QueueConfig {
  /** Sessions that run at once, over all processes. */
  readonly maxConcurrentSessions: number;
  /** Sessions that run at once in one process. */
  readonly workerConcurrency: number;
  /** Questions that one process answers at once. */
  readonly chatConcurrency: number;
  /** For a session, and for a chat answer. */
  readonly sessionTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  /** A session whose lease is older than this is taken over by another worker. */
  readonly leaseDurationMs: number;
  /** Workers that one session may lose before it fails. */
  readonly maxAttempts: number;
  /** Sessions that may wait; an alert beyond is refused. */
  readonly maxPending: number;
  /** Alerts that one sender may submit in a minute, to one process. */
  readonly alertsPerMinute: number;
}

export interface SystemConfig {
  /** Base of links to the dashboard; no trailing slash. */
  readonly dashboardUrl: string;
  /** Host names besides loopback that the server answers to, that of a configured dashboard included, without ports; `*` stands for a part of one. */
  readonly allowedHosts: readonly string[];
  /** Origins besides our own whose pages may use the API, that of a configured dashboard included; `*` likewise. */
  readonly allowedOrigins: readonly string[];
  /** Origins besides those whose pages may open a WebSocket. */
  readonly allowedWsOrigins: readonly string[];
  readonly streams: StreamsConfig;
  readonly github: GithubConfig;
  readonly runbooks: RunbooksConfig;
  readonly slack: SlackConfig;
  readonly retention: RetentionConfig;
  readonly mcpHealth: McpHealthConfig;
  /** Whether what an alert’s sender names only narrows what its chain allows. */
  readonly mcpSelection: 'narrow' | 'replace';
}

export interface GithubConfig {
  readonly tokenEnv: string;
  /** `owner/repo`, or `owner` for all of an owner's: where the token is sent. */
  readonly repositories: readonly string[];
}

/** How MCP servers are looked after. */
export interface McpHealthConfig {
  /** From check to check. */
  readonly intervalMs: number;
  /** A server that lists its tools later than this counts as unusable. */
  readonly timeoutMs: number;
}

export interface ApiConfig {
  readonly introspection: boolean;
  /** Needs introspection to be of use, but neither needs the other. */
  readonly graphiql: boolean;
}

/** What one client may have open at once. */
export interface StreamsConfig {
  /** WebSockets and event streams together. */
  readonly connectionsPerClient: number;
  /** Operations under way on one WebSocket. */
  readonly operationsPerConnection: number;
}

export interface RunbooksConfig {
  readonly repoUrl: string | null;
  readonly cacheTtlMs: number;
  /** Lower-case host names. */
  readonly allowedDomains: readonly string[];
  /** http besides https. */
  readonly allowHttp: boolean;
  /** Lower-case `host` or `host:port` that is allowed though its address is private. */
  readonly privateHosts: readonly string[];
}

export interface SlackConfig {
  readonly enabled: boolean;
  readonly tokenEnv: string;
  /** Channel id; never null when enabled. */
  readonly channel: string | null;
}

export interface RetentionConfig {
  readonly sessionRetentionDays: number;
  /** From when a session is not shown any more until it is removed. */
  readonly graceDays: number;
  readonly cleanupIntervalMs: number;
}

export interface DefaultsConfig {
  readonly llmProvider: string;
  /** null = by the type of the provider that an agent ends up with. */
  readonly iterationStrategy: IterationStrategy | null;
  readonly maxIterations: number;
  readonly successPolicy: SuccessPolicy;
  /** Of alerts that name none; null = such an alert is refused. */
  readonly alertType: string | null;
  /** Markdown text for alerts without a runbook; may be empty. */
  readonly runbook: string;
  readonly alertMasking: TextMaskingConfig;
  /** Of questions about investigations. */
  readonly chatMasking: TextMaskingConfig;
  readonly runbookMasking: TextMaskingConfig;
  readonly summarization: { readonly llmProvider: string | null };
  /** Longest tool result that the trace keeps whole, by estimate. */
  readonly toolResults: { readonly traceMaxTokens: number };
  /** Failed calls of the model in a row after which an agent gives up. */
  readonly maxConsecutiveFailures: number;
  readonly timeouts: TimeoutsConfig;
}

export interface TextMaskingConfig {
  readonly enabled: boolean;
  readonly patternGroup: MaskingGroup;
}

export interface TimeoutsConfig {
  /** One turn of an agent: the LLM call and the tool calls it asked for. */
  readonly iterationMs: number;
  readonly llmCallMs: number;
  /** Until the first piece of an answer. */
  readonly llmFirstTokenMs: number;
  /** Between two pieces of an answer. */
  readonly llmStallMs: number;
  /** One tool call, unless its server has a limit of its own. */
  readonly toolCallMs: number;
  /** To start an MCP server and shake hands. */
  readonly mcpInitMs: number;
  readonly executiveSummaryMs: number;
  /** That an agent waits for a model that cannot be had. */
  readonly llmOutageMs: number;
}

/** What several levels of the hierarchy can say; null = ask the next level up. */
export interface Overrides {
  readonly llmProvider: string | null;
  readonly iterationStrategy: IterationStrategy | null;
  readonly maxIterations: number | null;
  readonly iterationTimeoutMs: number | null;
  /** An empty list means no server. */
  readonly mcpServers: readonly string[] | null;
}

export interface AgentConfig extends Overrides {
  readonly name: string;
  readonly origin: Origin;
  readonly description: string;
  readonly customInstructions: string;
  /** Over the provider's own. */
  readonly nativeTools: Readonly<Partial<Record<NativeTool, boolean>>>;
}

export interface ChainConfig extends Overrides {
  readonly id: string;
  readonly origin: Origin;
  readonly alertTypes: readonly string[];
  readonly description: string;
  readonly executiveSummaryProvider: string | null;
  readonly successPolicy: SuccessPolicy | null;
  readonly stages: readonly StageConfig[];
  readonly chat: ChatConfig;
}

export interface StageConfig extends Overrides {
  readonly name: string;
  readonly agents: readonly StageAgentConfig[];
  /** Copies of the only agent; 1 when there are several agents. */
  readonly replicas: number;
  readonly successPolicy: SuccessPolicy | null;
  readonly synthesis: SynthesisConfig;
}

export interface StageAgentConfig extends Overrides {
  readonly name: string;
}

export interface SynthesisConfig {
  readonly agent: string;
  readonly llmProvider: string | null;
  readonly iterationStrategy: IterationStrategy | null;
}

export interface ChatConfig extends Overrides {
  readonly enabled: boolean;
  readonly agent: string;
}

export interface LlmProviderConfig {
  readonly name: string;
  readonly origin: Origin;
  readonly type: LlmProviderType;
  readonly model: string;
  /** Names of the variables that the LLM service reads; null = none. */
  readonly apiKeyEnv: string | null;
  readonly credentialsEnv: string | null;
  readonly projectEnv: string | null;
  readonly locationEnv: string | null;
  /** Vertex AI: values of the variables `projectEnv` and `locationEnv`; null = not set. */
  readonly project: string | null;
  readonly location: string | null;
  /** Instead of the provider's own endpoint. */
  readonly baseUrl: string | null;
  /** Longer tool results are cut before they are sent. */
  readonly maxToolResultTokens: number;
  /** Tokens that the model reads and writes at once; longer conversations are shortened. */
  readonly contextWindow: number;
  /** Which of OpenAI's APIs, and of which version; null = by type and address. */
  readonly api: 'responses' | 'chat' | null;
  readonly apiVersion: string | null;
  /** How the model is to answer; null = as its family does. */
  readonly modelFamily: string | null;
  readonly effort: Effort | null;
  readonly thinkingBudget: number | null;
  readonly maxOutputTokens: number | null;
  readonly temperature: number | null;
  /** Of every request; `${NAME}` stands for a variable of the LLM service's environment. */
  readonly headers: Readonly<Record<string, string>>;
  /** All false for providers other than Google. */
  readonly nativeTools: Readonly<Record<NativeTool, boolean>>;
}
