import type { Named } from './schema/settings.ts';
import type { ProvidersFile, TarsyFile } from './schema.ts';

export type { Named } from './schema/settings.ts';

/** Source of an entry. A file's entry replaces the built-in entry of the same name, without merging. */
export type Origin = 'BUILTIN' | 'FILE';

/**
 * The complete configuration, deeply frozen. `schema/` documents each setting. Names that end in `Ms` are milliseconds;
 * `null` means not set.
 */
export interface Config {
  readonly queue: QueueConfig;
  readonly system: SystemConfig;
  readonly auth: AuthConfig;
  readonly access: AccessConfig;
  readonly audit: TarsyFile['audit'];
  readonly api: ApiConfig;
  readonly events: EventsConfig;
  readonly defaults: DefaultsConfig;
  readonly intake: IntakeConfig;
  readonly notifications: NotificationsConfig;
  readonly schedules: Named<ScheduleConfig>;
  /** Prices by model name. */
  readonly modelPrices: Named<ModelPriceConfig>;
  readonly budgets: Named<BudgetConfig>;
  readonly labels: Readonly<TarsyFile['labels']>;
  readonly mcpServers: Named<McpServerConfig>;
  readonly agents: Named<AgentConfig>;
  readonly chains: Named<ChainConfig>;
  readonly llmProviders: Named<LlmProviderConfig>;
  /** The default LLM provider, and the reason for the choice. */
  readonly providerChoice: ProviderChoice;
  /** Problems of a valid configuration, such as a provider without its key. */
  readonly warnings: readonly string[];
  /** The files that were read; empty if only built-ins apply. */
  readonly files: readonly string[];
  /** Replaces secrets in a text by `***`: values of secret-looking variables that files or MCP servers use. */
  readonly redact: (text: string) => string;
  readonly describe: () => readonly DescribedValue[];
}

export interface DescribedValue {
  /** Key path as in the files: `queue.max_pending`, `agent_chains.host.stages[0].name`. */
  readonly path: string;
  /** The value in the files' format; `null` if it is hidden. */
  readonly value: unknown;
  /** True if the value is, or may hold, a secret; then only its existence is shown. */
  readonly hidden: boolean;
  readonly from: 'BUILT_IN' | 'FILE' | 'ENVIRONMENT';
  /** File that contains the value; `null` if none does. */
  readonly file: string | null;
  /** Line of the value (1-based); `null` if no file contains it. */
  readonly line: number | null;
  /** Environment variables in the value's templates, or the variable that decided the value. */
  readonly variables: readonly string[];
}

export interface ProviderChoice {
  readonly name: string;
  readonly reason: string;
}

/** A section whose settings `Key` are never `null`. */
type Filled<Section, Key extends keyof Section> = Readonly<
  Omit<Section, Key> & { [Filled in Key]: NonNullable<Section[Filled]> }
>;

/** An entry of a section, with its key as `id` or `name` and with its origin. */
type Entry<NameKey extends 'id' | 'name', Written> = Readonly<
  Written & Record<NameKey, string> & { origin: Origin }
>;

export type QueueConfig = Filled<TarsyFile['queue'], 'workerConcurrency'>;

/** `allowedHosts` and `allowedOrigins` include the configured dashboard; `dashboardUrl` has no trailing slash. */
export type SystemConfig = Filled<TarsyFile['system'], 'dashboardUrl' | 'allowedOrigins'>;
export type SlackReceive = SystemConfig['slack']['receive'];
export type StreamsConfig = SystemConfig['streams'];
export type RunbooksConfig = SystemConfig['runbooks'];

export type AuthConfig = TarsyFile['auth'];
export type OidcConfig = NonNullable<AuthConfig['oidc']>;

/** If `roles` is `null`, every user is ADMIN. If `teams` is `null`, every user sees the objects of all teams. */
export type AccessConfig = TarsyFile['access'];

export type Members = NonNullable<AccessConfig['roles']>['ADMIN'];

export type ApiConfig = Filled<TarsyFile['api'], 'introspection' | 'graphiql'>;

export type EventsConfig = TarsyFile['events'];
/** The connection to NATS that carries live events. */
export type NatsConfig = NonNullable<EventsConfig['nats']>;

export type DefaultsConfig = Filled<TarsyFile['defaults'], 'llmProvider' | 'runbook'>;
export type TextMaskingConfig = DefaultsConfig['alertMasking'];
export type TimeoutsConfig = DefaultsConfig['timeouts'];

export type OrchestratorConfig = DefaultsConfig['orchestrator'];

/** Settings that several levels can override; `null` means inherited from the level above. */
export type Overrides = Omit<StageAgentConfig, 'name'>;

export type AgentConfig = Entry<'name', TarsyFile['agents'][string]>;
export type ChainConfig = Entry<'id', TarsyFile['agent_chains'][string]>;
export type StageConfig = ChainConfig['stages'][number];
export type StageAgentConfig = StageConfig['agents'][number];
export type SubAgentConfig = NonNullable<StageAgentConfig['subAgents']>[number];

/** A provider. `project` and `location` are the values of `projectEnv` and `locationEnv`; `null` if not set. */
export type LlmProviderConfig = Entry<
  'name',
  ProvidersFile['llm_providers'][string] & { project: string | null; location: string | null }
>;

export type McpServerConfig = Entry<'id', TarsyFile['mcp_servers'][string]>;

/** Transport of an MCP server. In a loaded configuration, `env` of a stdio server includes the variables that it inherits. */
export type TransportConfig = McpServerConfig['transport'];
export type DataMaskingConfig = McpServerConfig['dataMasking'];

/** A masking pattern; compile `pattern` with `compilePattern` of regex.ts. */
export type CustomPatternConfig = DataMaskingConfig['customPatterns'][number];

export type ToolRulesConfig = Pick<
  McpServerConfig,
  'readOnlyTools' | 'changingTools' | 'trustAnnotations' | 'allowChanges' | 'policy'
>;

/** Prices in USD per million tokens. The highest tier of `above` that a call reaches applies to the whole call. */
export type ModelPriceConfig = TarsyFile['model_prices'][string];

/** A budget. `per` is `null` with scope `session`, because such a budget has no period. */
export type BudgetConfig = Readonly<TarsyFile['budgets'][string] & { name: string }>;

export type NotificationsConfig = Readonly<
  Omit<TarsyFile['notifications'], 'channels'> & { channels: Named<ChannelConfig> }
>;
export type NotificationRule = NotificationsConfig['rules'][number];
/** An investigation that starts by itself. */
export type ScheduleConfig = TarsyFile['schedules'][string] & { readonly name: string };

/** A channel for notifications, with its name. */
export type ChannelConfig =
  | (TarsyFile['notifications']['channels'][string] & { readonly name: string })
  | WriteBackChannelConfig;

/** The channel to the sender of a source, for notes on the objects of its alerts. */
export interface WriteBackChannelConfig {
  readonly kind: 'write_back';
  readonly name: string;
  readonly source: string;
  readonly writeBack: WriteBackConfig;
}

/** How notes are written to a sender. */
export type WriteBackConfig = NonNullable<SourceConfig['writeBack']>;

export type IntakeConfig = Readonly<Omit<TarsyFile['intake'], 'sources'> & { sources: Named<SourceConfig> }>;
export type StormConfig = IntakeConfig['storm'];
export type CanaryConfig = NonNullable<IntakeConfig['canary']>;
export type IntakeRule = Readonly<IntakeConfig['rules'][number]>;

export type SourceConfig = Readonly<TarsyFile['intake']['sources'][string] & { name: string }>;

/** Proofs of a source. A delivery needs every configured kind; raw SNS deliveries need a token or password only. */
export type SourceAuth = Pick<
  SourceConfig,
  'tokens' | 'apiTokens' | 'tokenHeader' | 'tokensInUrl' | 'basic' | 'signature' | 'topicArns'
>;
export type SignatureConfig = NonNullable<SourceConfig['signature']>;

/**
 * Field paths as written, such as `$.items[*]`. A field that is `null` is read from the usual keys of template-keys.ts.
 */
export type GenericMapping = NonNullable<SourceConfig['mapping']>;
