import type { DescribedValue } from './describe.ts';
import type { Named, Origin } from './named.ts';
import type { ProvidersFile, TarsyFile } from './schema.ts';

export type { Named, Origin } from './named.ts';

/**
 * Everything the operator decides, complete and deeply frozen: the sections as their schemas read them, where what a setting
 * means stands beside it, with what was left open filled in. `…Ms` are milliseconds; null = not written.
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
  /** By the model's name. */
  readonly modelPrices: Named<ModelPriceConfig>;
  readonly budgets: Named<BudgetConfig>;
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
  /** What of it may be shown, and where each value comes from. */
  readonly describe: () => readonly DescribedValue[];
}

export interface ProviderChoice {
  readonly name: string;
  readonly reason: string;
}

/** A section in which these settings are always there. */
type Filled<Section, Key extends keyof Section> = Readonly<
  Omit<Section, Key> & { [Filled in Key]: NonNullable<Section[Filled]> }
>;

/** An entry of a section, with the name that is its key. */
type Entry<NameKey extends 'id' | 'name', Written> = Readonly<
  Written & Record<NameKey, string> & { origin: Origin }
>;

export type QueueConfig = Filled<TarsyFile['queue'], 'workerConcurrency'>;

/** The host and the origin of a configured dashboard are among the allowed ones; its address has no trailing slash. */
export type SystemConfig = Filled<TarsyFile['system'], 'dashboardUrl' | 'allowedOrigins'>;
export type StreamsConfig = SystemConfig['streams'];
export type RunbooksConfig = SystemConfig['runbooks'];

/**
 * `none`: whoever reaches the server may use it. `proxy`: a trusted proxy in front names every user. `oidc`: users sign in with
 * an OpenID provider, and `oidc` says which.
 */
export type AuthConfig = TarsyFile['auth'];
export type OidcConfig = NonNullable<AuthConfig['oidc']>;

/** What those who get in may see and do; roles null = everybody is ADMIN, teams null = everybody sees everything. */
export type AccessConfig = TarsyFile['access'];

/** Who has a role, or is in a team. */
export type Members = NonNullable<AccessConfig['roles']>['ADMIN'];

export type ApiConfig = Filled<TarsyFile['api'], 'introspection' | 'graphiql'>;

export type DefaultsConfig = Filled<TarsyFile['defaults'], 'llmProvider' | 'runbook'>;
export type TextMaskingConfig = DefaultsConfig['alertMasking'];
export type TimeoutsConfig = DefaultsConfig['timeouts'];

/** Limits on the sub-agents of an agent. */
export type OrchestratorConfig = DefaultsConfig['orchestrator'];

/** What several levels of the hierarchy can say; null = ask the next level up. */
export type Overrides = Omit<StageAgentConfig, 'name'>;

export type AgentConfig = Entry<'name', TarsyFile['agents'][string]>;
export type ChainConfig = Entry<'id', TarsyFile['agent_chains'][string]>;
export type StageConfig = ChainConfig['stages'][number];
export type StageAgentConfig = StageConfig['agents'][number];
export type SubAgentConfig = NonNullable<StageAgentConfig['subAgents']>[number];

/** With the values of the variables `projectEnv` and `locationEnv`; null = not set. */
export type LlmProviderConfig = Entry<
  'name',
  ProvidersFile['llm_providers'][string] & { project: string | null; location: string | null }
>;

export type McpServerConfig = Entry<'id', TarsyFile['mcp_servers'][string]>;

/** Of a server over stdio, `env` holds what it inherits, too. */
export type TransportConfig = McpServerConfig['transport'];
export type DataMaskingConfig = McpServerConfig['dataMasking'];

/** `pattern` compiles with `compilePattern` of regex.ts. */
export type CustomPatternConfig = DataMaskingConfig['customPatterns'][number];

/** Which tools of a server only read, and what becomes of the others. `*` in a pattern stands for any text. */
export type ToolRulesConfig = Pick<
  McpServerConfig,
  'readOnlyTools' | 'changingTools' | 'trustAnnotations' | 'allowChanges' | 'policy'
>;

/** USD for a million tokens; of `above`, the last tier that a call reaches goes for all of it. */
export type ModelPriceConfig = TarsyFile['model_prices'][string];

/** `per` null: of a session, as long as it is. */
export type BudgetConfig = Readonly<TarsyFile['budgets'][string] & { name: string }>;

/** What happens with alerts that monitoring systems send; of its rules, the first that matches an alert goes for it. */
export type IntakeConfig = Readonly<Omit<TarsyFile['intake'], 'sources'> & { sources: Named<SourceConfig> }>;
export type StormConfig = IntakeConfig['storm'];
export type CanaryConfig = NonNullable<IntakeConfig['canary']>;
export type IntakeRule = Readonly<IntakeConfig['rules'][number]>;

/** One sender. */
export type SourceConfig = Readonly<TarsyFile['intake']['sources'][string] & { name: string }>;

/** How deliveries of a source prove themselves: each of these that is set must hold. All empty = they need not. */
export type SourceAuth = Pick<
  SourceConfig,
  'tokens' | 'apiTokens' | 'tokenHeader' | 'tokensInUrl' | 'basic' | 'signature' | 'topicArns'
>;
export type SignatureConfig = NonNullable<SourceConfig['signature']>;

/** Paths as they are written, such as `$.items[*]`; what is null is in the keys of our own templates. */
export type GenericMapping = NonNullable<SourceConfig['mapping']>;

/** Steps into JSON: names, indexes, `*` for every item of a list. */
export type FieldPath = readonly (string | number)[];
