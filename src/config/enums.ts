/** Returns the values of an enum that is written as a map from value to meaning. The GraphQL API shows the meanings. */
export function valuesOf<Value extends string>(meanings: Readonly<Record<Value, string>>): readonly Value[] {
  return Object.keys(meanings) as Value[];
}

/** Meanings of the strategies: how an agent works with its model. */
export const ITERATION_STRATEGY_MEANINGS = {
  SINGLE_CALL: 'One model call without tools.',
  REACT: 'Thought, action and observation as text, for models without function calls.',
  LANGCHAIN: 'Function calls, with any provider.',
  NATIVE_THINKING: 'Function calls and thinking, with the Google SDK.',
  SYNTHESIS: 'One call that combines results, with any provider.',
  SYNTHESIS_NATIVE_THINKING: 'One call with thinking that combines results, with the Google SDK.',
} as const;
export const ITERATION_STRATEGIES = valuesOf(ITERATION_STRATEGY_MEANINGS);
export type IterationStrategy = keyof typeof ITERATION_STRATEGY_MEANINGS;

/** Meanings of the success policies: when a stage with several agents counts as successful. */
export const SUCCESS_POLICY_MEANINGS = {
  ALL: 'All agents of the stage must complete.',
  ANY: 'At least one agent of the stage must complete.',
} as const;
export const SUCCESS_POLICIES = valuesOf(SUCCESS_POLICY_MEANINGS);
export type SuccessPolicy = keyof typeof SUCCESS_POLICY_MEANINGS;

/** Condition for the stage after another one: always, or only if that one's report is inconclusive. */
export const ESCALATIONS = ['ALWAYS', 'INCONCLUSIVE'] as const;

export const PARALLEL_TYPE_MEANINGS = {
  MULTI_AGENT: 'Different agents run in parallel.',
  REPLICA: 'Copies of one agent run in parallel.',
} as const;
export type ParallelType = keyof typeof PARALLEL_TYPE_MEANINGS;

/** Meanings of the events that notifications report. */
export const NOTIFICATION_EVENT_MEANINGS = {
  'session.started': 'An investigation started.',
  'session.ended': 'An investigation ended, with or without a verdict.',
  'approval.requested': 'A tool call waits for approval.',
  'approval.decided': 'A tool call was approved or denied, or its request expired.',
  'budget.reached': 'A budget is nearly used up, or a measure against overuse was taken.',
  'canary.failing': 'TARSy’s own canary alert was not investigated in time.',
  'source.silent': 'A heartbeat that a rule with canary: true expects has not arrived.',
  'replay.worse': 'The replays of a suite have ended, and answered worse than their cases expect.',
} as const;
export const NOTIFICATION_EVENTS = valuesOf(NOTIFICATION_EVENT_MEANINGS);
export type NotificationEvent = keyof typeof NOTIFICATION_EVENT_MEANINGS;

/** Kinds of notification channels, in the spelling of the configuration. */
export const NOTIFICATION_KINDS = [
  'email',
  'teams',
  'mattermost',
  'webhook',
  'slack',
  'write_back', // configured at a source, not under notifications.channels
] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

/** Verdicts that notification rules can select. `none`: the session has no report. */
export const NOTIFIED_VERDICTS = [
  'action_required',
  'action_suggested',
  'no_action',
  'inconclusive',
  'none',
] as const;

/** Types of LLM providers. Lower case, because the LLM service receives the values unchanged. */
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

/** Levels of thinking that a model can be asked for, lowest first. */
export const EFFORTS = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

/** Backend: the part of the LLM service that makes a model call. */
export type Backend = 'google-native' | 'langchain' | 'offline';

/** Native tools: Google runs them during a model call, not TARSy. */
export const NATIVE_TOOLS = ['google_search', 'code_execution', 'url_context'] as const;
export type NativeTool = (typeof NATIVE_TOOLS)[number];

/** Prefixes of the HTTP headers in which an authenticating proxy names the user. */
export const IDENTITY_HEADERS = ['x-forwarded', 'x-auth-request', 'x-remote'] as const;
export type IdentityHeaders = (typeof IDENTITY_HEADERS)[number];

/** Roles of users, least privileged first. */
export const ROLE_MEANINGS = {
  VIEWER: 'May read.',
  RESPONDER: 'May also submit alerts, cancel, ask, silence, investigate groups and review.',
  ADMIN: 'May also manage access and memories.',
} as const;
export const ROLES = valuesOf(ROLE_MEANINGS);
export type Role = keyof typeof ROLE_MEANINGS;

/** The spelling of an enum value in the configuration files: `NATIVE_THINKING` is `native-thinking`. */
export type ConfigSpelling<Word extends string> = Word extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}-${ConfigSpelling<Tail>}`
  : Lowercase<Word>;

export function toConfigSpelling<Word extends string>(word: Word): ConfigSpelling<Word> {
  return word.toLowerCase().replaceAll('_', '-') as ConfigSpelling<Word>;
}

export function fromConfigSpelling<Word extends string>(
  words: readonly Word[],
  spelling: string,
): Word | null {
  return words.find((word) => toConfigSpelling(word) === spelling) ?? null;
}

/** Source types that are read with a built-in mapping of JSON fields instead of a parser of their own. */
export const PRESET_TYPES = [
  'nagios',
  'splunk',
  'kibana',
  'dynatrace',
  'uptime-kuma',
  'healthchecks',
  'graylog',
  'eventbridge',
  'argocd',
  'flux',
  'github',
  'jira',
  'glitchtip',
] as const;
export type PresetType = (typeof PRESET_TYPES)[number];

/** Formats in which monitoring systems send alerts. */
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
  ...PRESET_TYPES,
  'cloudevents',
  'generic',
] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

/** Reactions of agents to resolved alerts: explain why (`tell`), conclude at once (`stop`) or continue (`ignore`). */
export const ON_RESOLVE = ['tell', 'stop', 'ignore'] as const;
export type OnResolve = (typeof ON_RESOLVE)[number];
