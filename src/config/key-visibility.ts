const AGENT_OVERRIDES = [
  'agents.<name>',
  'agent_chains.<name>',
  'agent_chains.<name>.stages[]',
  'agent_chains.<name>.stages[].agents[]',
  'agent_chains.<name>.chat',
].flatMap((place) => [
  [`${place}.fallback_providers[]`, 'provider'],
  [
    `${place}.sub_agents[]`,
    'name llm_provider iteration_strategy max_iterations iteration_timeout mcp_servers',
  ],
  [`${place}.sub_agents[].fallback_providers[]`, 'provider'],
]);

/**
 * Keys whose values admins see, grouped by their parent key. Every configuration key is in exactly one list of this
 * file. In parents, `<name>` stands for an operator-chosen name and `[]` for each item of a list.
 */
const SHOWN: Readonly<Record<string, string>> = {
  queue: `max_concurrent_sessions worker_concurrency chat_concurrency scoring_concurrency session_timeout heartbeat_interval
    lease_duration max_pending alerts_per_minute max_attempts`,
  system: 'dashboard_url allowed_hosts allowed_origins allowed_ws_origins mcp_selection',
  'system.streams': 'connections_per_client operations_per_connection',
  'system.github': 'token_env repositories',
  'system.runbooks': 'repo_url cache_ttl allowed_domains allow_http private_hosts',
  'system.runbooks.tokens[]': 'host token_env paths',
  'system.slack': 'enabled token_env channel receive signing_secret_env app_token_env reaction',
  'system.retention': 'session_retention_days grace_days cleanup_interval',
  'system.mcp_health': 'interval timeout',
  'system.calendar': 'time_zone weekend holidays',
  'system.telemetry': 'content',
  auth: 'mode trusted_proxies identity_headers allow_unauthenticated_network',
  'auth.oidc': 'issuer client_id scopes user_claim groups_claim session_lifetime',
  'access.roles.viewer': 'users groups',
  'access.roles.responder': 'users groups',
  'access.roles.admin': 'users groups',
  'access.teams.<name>': 'users groups',
  'access.approvers[]': 'users groups tools',
  audit: 'retention_days',
  api: 'introspection graphiql documents',
  events: 'bus',
  'events.nats': 'servers subject_prefix username password_env token_env nkey_env credentials_env',
  'events.nats.tls': 'ca_file cert_file key_file',
  defaults: `llm_provider iteration_strategy max_iterations max_consecutive_failures success_policy alert_type`,
  'defaults.fallback_providers[]': 'provider',
  'defaults.alert_masking': 'enabled pattern_group',
  'defaults.chat_masking': 'enabled pattern_group',
  'defaults.runbook_masking': 'enabled pattern_group',
  'defaults.summarization': 'llm_provider',
  'defaults.memory': 'enabled learn_from max_inject half_life_days llm_provider',
  'defaults.report': 'enabled llm_provider',
  'defaults.hypotheses': 'enabled',
  'defaults.orchestrator': 'max_agents max_concurrent_agents agent_timeout max_budget',
  'defaults.scoring': 'enabled llm_provider',
  'defaults.tool_results': 'whole_max_tokens trace_max_tokens',
  'defaults.timeouts': `iteration llm_call llm_first_token llm_outage llm_stall tool_call mcp_operation mcp_init
    conclusion_reserve executive_summary report scoring`,
  intake: 'stale_after',
  'intake.sources.<name>': `type alert_type api_tokens token_header tokens_in_url topic_arns verification
    insufficient_data`,
  'intake.sources.<name>.basic': 'username',
  'intake.sources.<name>.signature': 'header timestamp_header',
  'intake.sources.<name>.mapping': `alerts title severity state fingerprint group episode starts_at ends_at url labels
    annotations resolved_values ignored_values reported_at object`,
  'intake.sources.<name>.write_back': `kind url token_env application_key_env username from cloud_id organization table edition
    acknowledge resolve allow_private`,
  'intake.sources.<name>.mapping.severities': '<name>',
  'intake.sources.<name>.mapping.labels': '<name>',
  'intake.sources.<name>.mapping.annotations': '<name>',
  'intake.rules[]': `name match alert_type team severity group_by group_wait reinvestigate_after investigate canary
    canary_within on_resolve investigate_resolved`,
  'intake.storm': 'groups within wait',
  'intake.canary': 'every within alert_type',
  'notifications.channels.<name>': `kind host port security username password_env from to allow_private url_env url
    secrets_env channel token_env`,
  'schedules.<name>': 'text alert_type team cron time_zone jitter after enabled',
  'notifications.rules[]': 'events verdicts severities teams alert_types sources channels',
  'model_prices.<name>': 'input output cached_input cache_write thinking',
  'model_prices.<name>.above[]': 'input_tokens input output cached_input cache_write thinking',
  'labels.<name>': 'description',
  'budgets.<name>':
    'scope only per limit_usd limit_tokens degrade degrade_every_percent cheaper_llm_provider',
  'mcp_servers.<name>': `read_only_tools changing_tools untrusted_tools trust_annotations allow_changes
    reuse`,
  'mcp_servers.<name>.policy[]': 'tools action approvals expires deny_untrusted dry_run',
  'mcp_servers.<name>.transport': 'type command inherit_env timeout url bearer_token_file verify_ssl ca_file',
  'mcp_servers.<name>.transport.oauth': `client_id issuer scope client_secret_file private_key_file algorithm`,
  'mcp_servers.<name>.data_masking': 'enabled pattern_groups patterns',
  'mcp_servers.<name>.data_masking.custom_patterns[]': 'pattern replacement description',
  'mcp_servers.<name>.summarization': 'enabled size_threshold_tokens summary_max_token_limit llm_provider',
  'agents.<name>': `description skills required_skills tools llm_provider iteration_strategy max_iterations iteration_timeout
    mcp_servers`,
  'agents.<name>.native_tools': '<name>',
  'agents.<name>.orchestrator': 'max_agents max_concurrent_agents agent_timeout max_budget',
  'agent_chains.<name>': `team alert_types description executive_summary_provider success_policy llm_provider
    iteration_strategy max_iterations iteration_timeout mcp_servers`,
  'agent_chains.<name>.stages[]': `name replicas success_policy escalate llm_provider iteration_strategy max_iterations
    iteration_timeout mcp_servers`,
  'agent_chains.<name>.stages[].agents[]': `name llm_provider iteration_strategy max_iterations iteration_timeout
    mcp_servers`,
  'agent_chains.<name>.stages[].synthesis': 'agent llm_provider iteration_strategy',
  'agent_chains.<name>.report': 'enabled llm_provider',
  'agent_chains.<name>.scoring': 'enabled llm_provider',
  'agent_chains.<name>.chat': `enabled agent llm_provider iteration_strategy max_iterations iteration_timeout
    mcp_servers`,
  'llm_providers.<name>': `type model api_key_env credentials_env project_env location_env base_url
    max_tool_result_tokens context_window api api_version model_family effort thinking_budget max_output_tokens
    temperature`,
  'llm_providers.<name>.native_tools': '<name>',
  ...Object.fromEntries(AGENT_OVERRIDES),
};

/** Keys that hold secrets, grouped by parent key. Admins and the config check only see that they are set. */
const SECRETS: Readonly<Record<string, string>> = {
  'auth.oidc': 'client_secret',
  'intake.sources.<name>': 'tokens',
  'intake.sources.<name>.basic': 'passwords',
  'intake.sources.<name>.signature': 'secrets',
  'mcp_servers.<name>.transport': 'bearer_token',
  'mcp_servers.<name>.transport.env': '<name>',
  'mcp_servers.<name>.transport.custom_headers': '<name>',
  'mcp_servers.<name>.transport.oauth': 'client_secret',
  'llm_providers.<name>.headers': '<name>',
};

/** Keys with free text that may contain secrets: hidden from admins, but printed by `config:check` for operators. */
const WRITTEN: Readonly<Record<string, string>> = {
  defaults: 'runbook',
  'mcp_servers.<name>': 'instructions',
  'mcp_servers.<name>.transport': 'args',
  'agents.<name>': 'custom_instructions',
};

export const SHOWN_VARIABLES: readonly string[] = `HTTP_HOST HTTP_PORT TARSY_HOME CONFIG_DIR LLM_SERVICE_ADDR
  DATABASE_READ_WAIT_MS PGSSLMODE PGSSLROOTCERT PGSSLCERT PGSSLKEY WORKER_CONCURRENCY METRICS_HOST METRICS_PORT OTEL_SERVICE_NAME
  LOG_LEVEL LOG_FORMAT NODE_ENV TARSY_COMMIT`.split(/\s+/);
/** Environment variables that may contain secrets: admins only see that they are set. */
export const HIDDEN_VARIABLES: readonly string[] = [
  'DATABASE_URL',
  'DATABASE_POOLER_URL',
  'DATABASE_READ_URL',
  'TARSY_KEY',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
];

export const SHOWN_KEYS: ReadonlySet<string> = keysOf(SHOWN);
export const SECRET_KEYS: ReadonlySet<string> = keysOf(SECRETS);
export const HIDDEN_KEYS: ReadonlySet<string> = new Set([...SECRET_KEYS, ...keysOf(WRITTEN)]);

/** Patterns of every key of the files and of every parent: `system`, `system.github`, `system.github.token_env`. */
export const KEY_PATTERNS: ReadonlySet<string> = new Set(
  [...SHOWN_KEYS, ...HIDDEN_KEYS].flatMap((key) => [
    ...[...key.matchAll(/\.|\[\]/g)].map(({ index }) => key.slice(0, index)),
    key,
  ]),
);

function keysOf(groups: Readonly<Record<string, string>>): Set<string> {
  return new Set(
    Object.entries(groups).flatMap(([above, names]) => names.split(/\s+/).map((name) => `${above}.${name}`)),
  );
}
