import type { Named } from './schema/settings.ts';
import type { ProvidersFile, TarsyFile } from './schema.ts';

export type { Named } from './schema/settings.ts';

/** An entry of a file replaces the built-in one of its name completely. */
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
  readonly defaults: DefaultsConfig;
  readonly intake: IntakeConfig;
  /** Prices by model name. */
  readonly modelPrices: Named<ModelPriceConfig>;
  readonly budgets: Named<BudgetConfig>;
  readonly mcpServers: Named<McpServerConfig>;
  readonly agents: Named<AgentConfig>;
  readonly chains: Named<ChainConfig>;
  readonly llmProviders: Named<LlmProviderConfig>;
  /** The default provider. */
  readonly providerChoice: ProviderChoice;
  /** Problems of a valid configuration, such as a provider without its key. */
  readonly warnings: readonly string[];
  /** The files that were read; empty if only built-ins apply. */
  readonly files: readonly string[];
  /** Replaces every value of a secret-looking environment variable in a text with `***`. */
  readonly redact: (text: string) => string;
  readonly describe: () => readonly DescribedValue[];
}

export interface DescribedValue {
  /** As in the files: `queue.max_pending`, `agent_chains.host.stages[0].name`. */
  readonly path: string;
  /** The value in the form of the files; `null` if it is hidden. */
  readonly value: unknown;
  /** True if the value is, or may hold, a secret; then only its existence is shown. */
  readonly hidden: boolean;
  readonly from: 'BUILT_IN' | 'FILE' | 'ENVIRONMENT';
  /** `null` if the value is in no file. */
  readonly file: string | null;
  /** 1-based; `null` if the value is in no file. */
  readonly line: number | null;
  /** Environment variables that the value contains. */
  readonly variables: readonly string[];
}

export interface ProviderChoice {
  readonly name: string;
  readonly reason: string;
}

/** A section with these settings always set. */
type Filled<Section, Key extends keyof Section> = Readonly<
  Omit<Section, Key> & { [Filled in Key]: NonNullable<Section[Filled]> }
>;

/** An entry of a section with its key as `id` or `name`. */
type Entry<NameKey extends 'id' | 'name', Written> = Readonly<
  Written & Record<NameKey, string> & { origin: Origin }
>;

export type QueueConfig = Filled<TarsyFile['queue'], 'workerConcurrency'>;

/** `allowedHosts` and `allowedOrigins` include the configured dashboard; `dashboardUrl` has no trailing slash. */
export type SystemConfig = Filled<TarsyFile['system'], 'dashboardUrl' | 'allowedOrigins'>;
export type StreamsConfig = SystemConfig['streams'];
export type RunbooksConfig = SystemConfig['runbooks'];

export type AuthConfig = TarsyFile['auth'];
export type OidcConfig = NonNullable<AuthConfig['oidc']>;

/** With `roles` `null` every user is ADMIN; with `teams` `null` every user sees everything. */
export type AccessConfig = TarsyFile['access'];

export type Members = NonNullable<AccessConfig['roles']>['ADMIN'];

export type ApiConfig = Filled<TarsyFile['api'], 'introspection' | 'graphiql'>;

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

/** A provider with the values of its variables `projectEnv` and `locationEnv`; `null` if not set. */
export type LlmProviderConfig = Entry<
  'name',
  ProvidersFile['llm_providers'][string] & { project: string | null; location: string | null }
>;

export type McpServerConfig = Entry<'id', TarsyFile['mcp_servers'][string]>;

/** The `env` of a stdio server includes inherited variables. */
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

/** A budget; `per` is `null` for a budget of each session. */
export type BudgetConfig = Readonly<TarsyFile['budgets'][string] & { name: string }>;

export type IntakeConfig = Readonly<Omit<TarsyFile['intake'], 'sources'> & { sources: Named<SourceConfig> }>;
export type StormConfig = IntakeConfig['storm'];
export type CanaryConfig = NonNullable<IntakeConfig['canary']>;
export type IntakeRule = Readonly<IntakeConfig['rules'][number]>;

export type SourceConfig = Readonly<TarsyFile['intake']['sources'][string] & { name: string }>;

/** Each method that is set must succeed; none is set with `verification: none`. */
export type SourceAuth = Pick<
  SourceConfig,
  'tokens' | 'apiTokens' | 'tokenHeader' | 'tokensInUrl' | 'basic' | 'signature' | 'topicArns'
>;
export type SignatureConfig = NonNullable<SourceConfig['signature']>;

/** Field paths as written, such as `$.items[*]`; `null` for fields with the key names of the built-in templates. */
export type GenericMapping = NonNullable<SourceConfig['mapping']>;
