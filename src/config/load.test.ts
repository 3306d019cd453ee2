import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configFolder, loadText } from '../../test/fixtures/config/load-text.ts';
import { loadConfig } from './load.ts';
import { resolveAgent } from './resolve.ts';

const NOWHERE = '/nonexistent/tarsy-config';
const SHIPPED = resolve(import.meta.dirname, '../../deploy/config');

test('without files, built-ins and defaults apply', async () => {
  const config = await loadConfig({ dir: NOWHERE, env: {} });
  expect(config).toMatchObject({
    queue: {
      maxConcurrentSessions: 5,
      workerConcurrency: 5,
      sessionTimeoutMs: 2_400_000,
      heartbeatIntervalMs: 10_000,
      leaseDurationMs: 30_000,
      maxAttempts: 3,
    },
    system: {
      dashboardUrl: 'http://127.0.0.1:8080',
      allowedHosts: [],
      allowedOrigins: [5173, 8080, 5173, 8080].map(
        (port, index) => `http://${index < 2 ? 'localhost' : '127.0.0.1'}:${port}`,
      ),
      allowedWsOrigins: [],
      streams: { connectionsPerClient: 1000, operationsPerConnection: 100 },
      github: { tokenEnv: 'GITHUB_TOKEN', repositories: [] },
      runbooks: {
        repoUrl: null,
        cacheTtlMs: 60_000,
        allowedDomains: ['github.com', 'raw.githubusercontent.com'],
        allowHttp: false,
        privateHosts: [],
      },
      slack: {
        ...{ enabled: false, tokenEnv: 'SLACK_BOT_TOKEN', channel: null, receive: 'none', reaction: null },
        ...{ signingSecretEnv: 'SLACK_SIGNING_SECRET', appTokenEnv: 'SLACK_APP_TOKEN' },
      },
      retention: { sessionRetentionDays: 365, graceDays: 30, cleanupIntervalMs: 43_200_000 },
      mcpHealth: { intervalMs: 15_000, timeoutMs: 5_000 },
    },
    auth: {
      mode: 'none',
      trustedProxies: ['127.0.0.0/8', '::1/128'],
      identityHeaders: 'x-forwarded',
      allowUnauthenticatedNetwork: false,
    },
    api: { introspection: true, graphiql: true },
    defaults: {
      llmProvider: 'offline',
      iterationStrategy: null,
      maxIterations: 20,
      successPolicy: 'ANY',
      alertType: 'host',
      alertMasking: { enabled: true, patternGroup: 'security' },
      chatMasking: { enabled: true, patternGroup: 'security' },
      runbookMasking: { enabled: true, patternGroup: 'security' },
      toolResults: { traceMaxTokens: 250_000 },
    },
    files: [],
    warnings: [],
  });
  expect(Object.keys(config.chains)).toEqual(['host', 'kubernetes']);
  expect(Object.keys(config.agents)).toEqual(['HostAgent', 'KubernetesAgent', 'ChatAgent', 'SynthesisAgent']);
  expect(config.llmProviders['vertexai-default']).toMatchObject({
    apiKeyEnv: null,
    credentialsEnv: 'GOOGLE_APPLICATION_CREDENTIALS',
    project: null,
  });
  expect(config.mcpServers.host?.transport).toMatchObject({ type: 'stdio', command: process.execPath });
});

test('the shipped configuration works with an empty environment', async () => {
  const config = await loadConfig({ dir: SHIPPED, env: {} });
  expect(config.files).toEqual(['deploy/config/tarsy.yaml']);
  expect(config.warnings).toEqual([]);
  const chain = config.chains.host!;
  const stage = chain.stages[0]!;
  expect(config.defaults.alertType).toBe('host');
  expect(resolveAgent(config, { chain, stage, agent: stage.agents[0]! })).toMatchObject({
    agentName: 'HostAgent',
    providerName: 'offline',
    backend: 'offline',
    mcpServers: ['host'],
  });
});

test("production trusts the dashboard's host and no local origins", async () => {
  const text =
    'system: { dashboard_url: "https://tarsy.example.com/ops/", allowed_hosts: [Tarsy.ops.svc] }\n';
  const { system } = await loadText(text, { NODE_ENV: 'production' });
  expect(system.allowedHosts).toEqual(['tarsy.example.com', 'tarsy.ops.svc']);
  expect(system.allowedOrigins).toEqual(['https://tarsy.example.com']);
  const named = await loadText('system: { allowed_origins: ["https://portal.example.com"] }\n');
  expect(named.system.allowedOrigins).toEqual(['https://portal.example.com']);
});

test('the shipped example of providers is valid', async () => {
  const example = await readFile(join(SHIPPED, 'llm-providers.yaml.example'), 'utf8');
  const config = await loadText('', {}, example);
  expect(config.llmProviders.local).toMatchObject({
    baseUrl: 'http://localhost:11434/v1',
    apiKeyEnv: null,
    origin: 'FILE',
  });
  expect(config.llmProviders['google-default']?.model).toBe('gemini-2.5-pro');
});

test('an entry of a file replaces the built-in one completely', async () => {
  const config = await loadText('agents: { HostAgent: { max_iterations: 3 } }\n');
  expect(config.agents.HostAgent).toEqual({
    name: 'HostAgent',
    origin: 'FILE',
    description: '',
    customInstructions: '',
    skills: null,
    requiredSkills: [],
    orchestrator: null,
    subAgents: null,
    tools: null,
    nativeTools: {},
    llmProvider: null,
    fallbackProviders: null,
    iterationStrategy: null,
    maxIterations: 3,
    iterationTimeoutMs: null,
    mcpServers: null,
  });
  expect(config.agents.KubernetesAgent?.origin).toBe('BUILTIN');
});

test('a chain of a file claims its alert types from the built-in chains', async () => {
  const config = await loadText(
    'agent_chains: { mine: { alert_types: [host, x], stages: [{ name: s, agents: [{ name: HostAgent }] }] } }\n',
  );
  expect(Object.values(config.chains).map(({ id, alertTypes }) => [id, alertTypes])).toEqual([
    ['kubernetes', ['kubernetes']],
    ['mine', ['host', 'x']],
  ]);
});

test('without a chain for the built-in default type, alerts must name a type', async () => {
  const config = await loadText(
    'agent_chains: { host: { alert_types: [x], stages: [{ name: s, agents: [{ name: HostAgent }] }] } }\n',
  );
  expect(config.defaults.alertType).toBeNull();
});

test('a key without a value counts as not set', async () => {
  const config = await loadText(
    'queue:\nsystem:\n  slack:\ndefaults:\n  llm_provider:\nagents:\nmcp_servers: ~\n',
  );
  const builtin = await loadConfig({ dir: NOWHERE, env: {} });
  const plain = { files: [], redact: null, describe: null };
  expect({ ...config, ...plain }).toEqual({ ...builtin, ...plain });
});

describe('templates', () => {
  test('stand for text, numbers, true and false, quoted or not', async () => {
    const yaml = `
queue: { max_attempts: "{{.ATTEMPTS}}", max_concurrent_sessions: {{.MAX | default "7"}} }
defaults:
  alert_masking: { enabled: {{.MASK}} }
  runbook: "{{.ATTEMPTS}}"
  llm_provider: '{{.PROVIDER | default ""}}'
mcp_servers:
  m:
    transport:
      type: http
      url: https://{{.HOST}}:{{.PORT}}/mcp
      bearer_token: {{.TOKEN}}
      custom_headers: { X-Number: '{{.PORT}}', X-None: '{{.NONE | default ""}}' }
`;
    const env = { ATTEMPTS: '2', MASK: 'false', HOST: 'mcp.example.com', PORT: '8443', TOKEN: 'true' };
    const config = await loadText(yaml, env);
    expect(config.queue).toMatchObject({ maxAttempts: 2, maxConcurrentSessions: 7 });
    expect(config.defaults).toMatchObject({
      alertMasking: { enabled: false },
      runbook: '2',
      llmProvider: 'offline',
    });
    expect(config.mcpServers.m?.transport).toEqual({
      type: 'http',
      url: 'https://mcp.example.com:8443/mcp',
      bearerToken: 'true',
      bearerTokenFile: null,
      oauth: null,
      verifySsl: true,
      caFile: null,
      timeoutMs: null,
      customHeaders: { 'X-Number': '8443' },
    });
  });

  test('never become structure', async () => {
    const evil = 'x"\n    evil: true\n# {{.OTHER}} &a *b';
    const yaml = 'agents:\n  A:\n    description: {{.EVIL}}\n    custom_instructions: "<{{.EVIL}}>"\n';
    const config = await loadText(yaml, { EVIL: evil });
    expect(config.agents.A).toMatchObject({ description: evil, customInstructions: `<${evil}>` });
  });

  test('are not replaced where an anchor is only repeated', async () => {
    const yaml = `
mcp_servers:
  one: { transport: &t { type: stdio, command: x, args: ["{{.A}}"] } }
  two: { transport: *t }
`;
    const config = await loadText(yaml, { A: '{{.B}}' });
    expect(config.mcpServers.two?.transport).toMatchObject({ args: ['{{.B}}'] });
  });
});

test('the environment takes precedence over the file', async () => {
  const yaml = 'queue: { max_concurrent_sessions: 9, worker_concurrency: 4 }\n';
  expect((await loadText(yaml)).queue.workerConcurrency).toBe(4);
  expect((await loadText(yaml, { WORKER_CONCURRENCY: '2', HTTP_PORT: '9000' })).queue.workerConcurrency).toBe(
    2,
  );
  expect((await loadText('', { HTTP_PORT: '9000' })).system.dashboardUrl).toBe('http://127.0.0.1:9000');
  await expect(loadText('', { WORKER_CONCURRENCY: 'x' })).rejects.toMatchObject({
    code: 'ENVIRONMENT_INVALID',
  });
});

test('default limits stay within configured ones', async () => {
  const { timeouts } = (await loadText('defaults: { timeouts: { iteration: 10s, llm_call: 5s } }\n'))
    .defaults;
  expect(timeouts).toMatchObject({
    iterationMs: 10_000,
    llmCallMs: 5000,
    llmFirstTokenMs: 5000,
    llmStallMs: 5000,
    toolCallMs: 10_000,
  });
});

test('the configuration is frozen, and names find entries only', async () => {
  const config = await loadConfig({ dir: SHIPPED, env: {} });
  const frozen = (value: unknown): boolean =>
    typeof value !== 'object' ||
    value === null ||
    (Object.isFrozen(value) && Object.values(value).every(frozen));
  expect(frozen(config)).toBe(true);
  expect(
    [config.chains, config.agents, config.mcpServers, config.llmProviders].map((named) => named.toString),
  ).toEqual([undefined, undefined, undefined, undefined]);
});

test('warns if CONFIG_DIR has no files', async () => {
  const dir = await configFolder();
  const config = await loadConfig({ dir, env: { CONFIG_DIR: dir } });
  expect(config.warnings).toEqual([`${dir} holds neither tarsy.yaml nor llm-providers.yaml: built-ins only`]);
});
