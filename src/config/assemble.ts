import { BUILTIN_ALERT_TYPE, DEFAULT_RUNBOOK } from './builtin.ts';
import { type ConfigSources, describeConfig } from './describe.ts';
import type { Environment, EnvironmentRecord } from './env.ts';
import { ineffectiveLimits } from './ineffective-limits.ts';
import { inheritedEnvSecrets, withInheritedEnv } from './inherited-env.ts';
import { chooseProvider, providerWarning } from './provider-choice.ts';
import { findReferences } from './references.ts';
import type { ProvidersFile, TarsyFile } from './schema.ts';
import { suspiciousValues } from './suspicious-values.ts';
import type {
  ChainConfig,
  ChannelConfig,
  Config,
  LlmProviderConfig,
  Named,
  Origin,
  SourceAuth,
} from './types.ts';

/** Valid contents of the configuration files and of the built-in entries, before they are merged. */
export interface ParsedConfig {
  readonly tarsy: TarsyFile;
  readonly providers: ProvidersFile;
  readonly builtinTarsy: TarsyFile;
  readonly builtinProviders: ProvidersFile;
  /** The data of tarsy.yaml as written, without defaults. */
  readonly tarsyData: unknown;
  readonly files: readonly string[];
  readonly secrets: readonly string[];
  readonly sources: ConfigSources;
}

/** Merges built-ins, files and environment into one frozen configuration. */
export function assembleConfig(
  parsed: ParsedConfig,
  env: EnvironmentRecord,
  environment: Environment,
): Config {
  const { tarsy, builtinTarsy, builtinProviders } = parsed;
  const llmProviders = merge(
    builtinProviders.llm_providers,
    parsed.providers.llm_providers,
    (name, provider) => withProject(name, provider, env),
  );
  const chains = mergeChains(builtinTarsy, tarsy);
  const handlesBuiltinType = Object.values(chains).some(({ alertTypes }) =>
    alertTypes.includes(BUILTIN_ALERT_TYPE),
  );
  const { queue, system, auth, access, audit, api, events, defaults, intake } = tarsy;
  const isDevelopment = environment.nodeEnv === 'development';
  const dashboard = system.dashboardUrl === null ? [] : [new URL(system.dashboardUrl)];
  const origins = system.allowedOrigins ?? (isDevelopment ? DEVELOPMENT_ORIGINS : []);
  const choice = chooseProvider(defaults.llmProvider, llmProviders, env);
  const transports = Object.values(tarsy.mcp_servers).map(({ transport }) => transport);
  const config: Config = {
    queue: {
      ...queue,
      workerConcurrency:
        environment.workerConcurrency ?? queue.workerConcurrency ?? queue.maxConcurrentSessions,
    },
    system: {
      ...system,
      dashboardUrl: system.dashboardUrl ?? `http://127.0.0.1:${environment.httpPort}`,
      allowedHosts: distinct([...dashboard.map(({ hostname }) => hostname), ...system.allowedHosts]),
      allowedOrigins: distinct([...dashboard.map(({ origin }) => origin), ...origins]),
    },
    auth,
    access,
    audit,
    api: {
      introspection: api.introspection ?? isDevelopment,
      graphiql: api.graphiql ?? isDevelopment,
      documents: api.documents,
    },
    events,
    defaults: {
      ...defaults,
      llmProvider: choice.name,
      alertType: defaults.alertType ?? (handlesBuiltinType ? BUILTIN_ALERT_TYPE : null),
      runbook: defaults.runbook ?? DEFAULT_RUNBOOK,
    },
    intake: { ...intake, sources: mapValues(intake.sources, (name, source) => ({ name, ...source })) },
    schedules: mapValues(tarsy.schedules, (name, schedule) => ({ name, ...schedule })),
    notifications: {
      ...tarsy.notifications,
      channels: {
        ...mapValues(tarsy.notifications.channels, (name, channel) => ({ name, ...channel })),
        ...writeBackChannels(intake.sources),
      },
    },
    modelPrices: tarsy.model_prices,
    budgets: mapValues(tarsy.budgets, (name, budget) => ({ name, ...budget })),
    labels: tarsy.labels,
    mcpServers: merge(builtinTarsy.mcp_servers, tarsy.mcp_servers, (id, server) => ({
      id,
      ...server,
      transport: withInheritedEnv(server.transport, env),
    })),
    agents: merge(builtinTarsy.agents, tarsy.agents, (name, agent) => ({ name, ...agent })),
    chains,
    llmProviders,
    providerChoice: choice,
    warnings: warnings(parsed, llmProviders, env, environment),
    files: parsed.files,
    redact: createRedactor([...parsed.secrets, ...inheritedEnvSecrets(transports, env)]),
    describe: () => describeConfig(config, parsed.sources, env),
  };
  const { tarsy: tarsySource, providers: providersSource } = parsed.sources;
  const further = [
    ...ineffectiveLimits(config, parsed.tarsyData),
    ...[tarsySource, providersSource].flatMap((source) => (source ? suspiciousValues(source, env) : [])),
  ];
  return deepFreeze({ ...config, warnings: [...config.warnings, ...further] });
}

const DEVELOPMENT_ORIGINS = ['localhost', '127.0.0.1'].flatMap((host) =>
  [5173, 8080].map((port) => `http://${host}:${port}`),
);

/**
 * Returns the channels to the senders of sources. Their names contain a colon, which no name in the configuration does,
 * so that rules cannot select them.
 */
function writeBackChannels(sources: TarsyFile['intake']['sources']): Record<string, ChannelConfig> {
  const channels = Object.entries(sources).flatMap(([source, { writeBack }]): ChannelConfig[] =>
    writeBack === null ? [] : [{ kind: 'write_back', name: `write-back:${source}`, source, writeBack }],
  );
  return Object.fromEntries(channels.map((channel) => [channel.name, channel]));
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

/** Merges built-in and file entries. A file's entry replaces the built-in entry of the same name. */
function merge<In, Out>(
  builtin: Readonly<Record<string, In>>,
  file: Readonly<Record<string, In>>,
  build: (name: string, entry: In) => Out,
): Named<Out & { origin: Origin }> {
  // No prototype, so that a lookup by an arbitrary name such as `constructor` finds nothing.
  const merged: Record<string, Out & { origin: Origin }> = Object.create(null);
  for (const [name, entry] of Object.entries(builtin)) {
    if (!Object.hasOwn(file, name)) merged[name] = { ...build(name, entry), origin: 'BUILTIN' };
  }
  for (const [name, entry] of Object.entries(file)) {
    merged[name] = { ...build(name, entry), origin: 'FILE' };
  }
  return merged;
}

function mapValues<In, Out>(
  entries: Readonly<Record<string, In>>,
  build: (name: string, entry: In) => Out,
): Named<Out> {
  return Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, build(name, entry)]));
}

/** Merges chains. A built-in chain loses the alert types that a file's chain lists; without any left, it is dropped. */
function mergeChains(builtin: TarsyFile, file: TarsyFile): Named<ChainConfig> {
  const taken = new Set(Object.values(file.agent_chains).flatMap(({ alertTypes }) => alertTypes));
  const left = Object.entries(builtin.agent_chains).flatMap(([id, chain]) => {
    const alertTypes: readonly string[] = chain.alertTypes.filter((type) => !taken.has(type));
    return alertTypes.length === 0 ? [] : [[id, { ...chain, alertTypes }] as const];
  });
  return merge(Object.fromEntries(left), file.agent_chains, (id, chain) => ({ id, ...chain }));
}

function withProject(
  name: string,
  provider: ProvidersFile['llm_providers'][string],
  env: EnvironmentRecord,
): Omit<LlmProviderConfig, 'origin'> {
  const value = (variable: string | null) => (variable === null ? null : env[variable] || null);
  return { name, ...provider, project: value(provider.projectEnv), location: value(provider.locationEnv) };
}

function warnings(
  parsed: ParsedConfig,
  providers: Named<LlmProviderConfig>,
  env: EnvironmentRecord,
  environment: Environment,
): string[] {
  const named = findReferences(parsed.tarsyData).flatMap(({ kind, name }) =>
    kind === 'LLM provider' ? [name] : [],
  );
  const isOwnService = environment.llmServiceAddr === null; // the variables of an external service are unknown
  const found = [...new Set(named)].flatMap((name) => {
    const provider = isOwnService ? providers[name] : undefined;
    return (provider && providerWarning(provider, env)) ?? [];
  });
  for (const [name, source] of Object.entries(parsed.tarsy.intake.sources)) {
    if (isUnauthenticated(source))
      found.push(
        `intake.sources.${name} has verification: none; every client that reaches the server can send as this source`,
      );
  }
  if (env.CONFIG_DIR && parsed.files.length === 0) {
    found.unshift(`${environment.configDir} holds neither tarsy.yaml nor llm-providers.yaml: built-ins only`);
  }
  return found;
}

function isUnauthenticated({ tokens, apiTokens, basic, signature, topicArns }: SourceAuth): boolean {
  return tokens.length === 0 && !apiTokens && basic === null && signature === null && topicArns === null;
}

/** Minimum length of a redacted secret (characters), because shorter secrets also occur inside ordinary words. */
const MIN_REDACTED_LENGTH = 4;

function createRedactor(secrets: readonly string[]): (text: string) => string {
  // JSON log lines contain the JSON-escaped form of a secret.
  const forms = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  const byLength = [...new Set(forms)]
    .filter((secret) => secret.length >= MIN_REDACTED_LENGTH)
    .sort((a, b) => b.length - a.length);
  return (text) => byLength.reduce((redacted, secret) => redacted.replaceAll(secret, '***'), text);
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const child of Object.values(value)) deepFreeze(child);
  return value;
}
