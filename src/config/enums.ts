/** How an agent works; which controller and which backend follow from it (see resolve.ts). */
export const ITERATION_STRATEGIES = [
  'SINGLE_CALL',
  'REACT',
  'LANGCHAIN',
  'NATIVE_THINKING',
  'SYNTHESIS',
  'SYNTHESIS_NATIVE_THINKING',
] as const;
export type IterationStrategy = (typeof ITERATION_STRATEGIES)[number];

/** When a stage of several agents counts as successful. */
export const SUCCESS_POLICIES = ['ALL', 'ANY'] as const;
export type SuccessPolicy = (typeof SUCCESS_POLICIES)[number];

/** Why a stage has several agents: different ones, or copies of one. */
export const PARALLEL_TYPES = ['MULTI_AGENT', 'REPLICA'] as const;
export type ParallelType = (typeof PARALLEL_TYPES)[number];

/** Lower case because these words go over the wire to the LLM service as they are. */
export const LLM_PROVIDER_TYPES = [
  'google',
  'openai',
  'anthropic',
  'xai',
  'vertexai',
  'azure',
  'bedrock',
  'offline',
] as const;
export type LlmProviderType = (typeof LLM_PROVIDER_TYPES)[number];

/** How much a model is to think; lower case as on the wire. */
export const EFFORTS = ['off', 'minimal', 'low', 'medium', 'high', 'max'] as const;

/** The parts of the LLM service that can answer a call; lower case as on the wire. */
export type Backend = 'google-native' | 'langchain' | 'offline';

/** Tools that Google's models run themselves; lower case as on the wire. */
export const NATIVE_TOOLS = ['google_search', 'code_execution', 'url_context'] as const;
export type NativeTool = (typeof NATIVE_TOOLS)[number];

/** Families of headers in which a proxy names a user, by how they begin. */
export const IDENTITY_HEADERS = ['x-forwarded', 'x-auth-request', 'x-remote'] as const;
export type IdentityHeaders = (typeof IDENTITY_HEADERS)[number];

/** What somebody may do, the least first; lower case in the config files. */
export const ROLES = ['VIEWER', 'RESPONDER', 'ADMIN'] as const;
export type Role = (typeof ROLES)[number];

/** The config files' spelling of an enum word: `NATIVE_THINKING` is `native-thinking`. */
export type ConfigSpelling<Word extends string> = Word extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}-${ConfigSpelling<Tail>}`
  : Lowercase<Word>;

export function toConfigSpelling<Word extends string>(word: Word): ConfigSpelling<Word> {
  return word.toLowerCase().replaceAll('_', '-') as ConfigSpelling<Word>;
}

/** The word whose config spelling is `spelling`, or null when `words` has none. */
export function fromConfigSpelling<Word extends string>(
  words: readonly Word[],
  spelling: string,
): Word | null {
  return words.find((word) => toConfigSpelling(word) === spelling) ?? null;
}

/** Formats in which monitoring systems send alerts; lower case as in the config files. */
export const SOURCE_TYPES = [
  'alertmanager',
  'grafana',
  'pagerduty',
  'pagerduty-events',
  'opsgenie',
  'datadog',
  'cloudwatch',
  'sentry',
  'newrelic',
  'gcp-monitoring',
  'azure-monitor',
  'zabbix',
  'cloudevents',
  'generic',
] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

/** What agents do when all of their problem is over: say so and why, conclude at once, or nothing. */
export const ON_RESOLVE = ['tell', 'stop', 'ignore'] as const;
export type OnResolve = (typeof ON_RESOLVE)[number];
