import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { COMPILE_CACHE } from './compile-cache.ts';
import { natsSection } from './nats-mode.ts';

const TOOL_SERVER = resolve(import.meta.dirname, 'tool-server.ts');

/**
 * Configuration of the test MCP server `tools`. Lists the tools that the server does not declare read-only.
 */
export function toolsServer(toolLog?: string, more: Record<string, string> = {}) {
  const args = ['--disable-warning=ExperimentalWarning', TOOL_SERVER];
  const log = toolLog !== undefined && { TOOL_LOG: toolLog };
  const env = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...log, ...more };
  return { transport: { type: 'stdio', command: process.execPath, args, env }, allow_changes: true };
}

/** A short lease, for workers that a test kills and whose runs other workers claim. */
export const SHORT_LEASE = { heartbeat_interval: '500ms', lease_duration: '3s' };
/**
 * A lease that survives a busy machine. A worker that loses its lease repeats a model call, which consumes a
 * scripted response.
 */
const LONG_LEASE = { heartbeat_interval: '500ms', lease_duration: '60s' };
/** Time limits that a scripted model does not reach while it waits at a gate. A model that hangs until then fails. */
const PATIENCE = { llm_first_token: '5m', llm_stall: '5m' };

/**
 * Builds a configuration with one chain `test` for the alert type `test`. Each stage has one agent that uses
 * the tools server.
 */
export function testConfig(options: TestConfigOptions = {}): Record<string, unknown> {
  return {
    ...(options.auth && { auth: options.auth }),
    ...(options.access && { access: options.access }),
    ...(options.intake && { intake: options.intake }),
    ...(options.budgets && { budgets: options.budgets }),
    ...(options.labels && { labels: options.labels }),
    ...(options.events && { events: options.events }),
    ...(options.api && { api: options.api }),
    ...(options.schedules && { schedules: options.schedules }),
    ...(options.notifications && { notifications: options.notifications }),
    system: options.system ?? {},
    queue: { ...LONG_LEASE, ...options.queue },
    defaults: {
      alert_type: 'test',
      llm_provider: 'scripted',
      iteration_strategy: 'langchain',
      max_iterations: 5,
      report: { enabled: false }, // off because a report needs one more model call, which most tests do not script
      hypotheses: { enabled: false }, // off because most tests expect exactly the tools that they configure
      timeouts: PATIENCE,
      ...options.defaults,
    },
    mcp_servers: {
      tools: { ...toolsServer(options.toolLog), ...options.tools },
      ...options.mcpServers,
    },
    agents: { TestAgent: { mcp_servers: ['tools'], custom_instructions: 'Be brief.' }, ...options.agents },
    agent_chains: {
      test: {
        alert_types: ['test'],
        stages: options.stages ?? [{ name: 'investigation', agents: [{ name: 'TestAgent' }] }],
        ...options.chain,
      },
      ...options.chains,
    },
  };
}

export interface TestConfigOptions {
  auth?: Record<string, unknown>;
  access?: Record<string, unknown>;
  api?: Record<string, unknown>;
  schedules?: Record<string, unknown>;
  intake?: Record<string, unknown>;
  budgets?: Record<string, unknown>;
  labels?: Record<string, unknown>;
  /** Default: the bus of the test run's mode. */
  events?: Record<string, unknown>;
  notifications?: Record<string, unknown>;
  queue?: Record<string, unknown>;
  system?: Record<string, unknown>;
  defaults?: Record<string, unknown>;
  agents?: Record<string, unknown>;
  /** Settings of the server `tools`, such as summarization. */
  tools?: Record<string, unknown>;
  /** MCP servers added to `tools`. */
  mcpServers?: Record<string, unknown>;
  stages?: unknown[];
  /** Settings of the chain, apart from its stages. */
  chain?: Record<string, unknown>;
  /** Chains added to `test`. */
  chains?: Record<string, unknown>;
  /** File to which the tool `note` appends. */
  toolLog?: string;
}

/** Context window of the provider `scripted-small` (tokens). */
const SMALL_WINDOW = 8000;

/** Variable that names the folder of all configurations, which the end of a test run removes. */
export const CONFIG_FOLDER = 'TARSY_TEST_CONFIGS';

/**
 * Writes a configuration into its own folder. LLM_SERVICE_ADDR serves the providers `scripted` (backend
 * langchain), `scripted-small` (small context window) and `scripted-google` (either backend). Live events use the bus of
 * the test run's mode, unless `config` names one.
 * @param more providers to add
 */
export async function writeConfig(
  config: Record<string, unknown>,
  more: Record<string, unknown> = {},
): Promise<string> {
  const dir = await mkdtemp(join(process.env[CONFIG_FOLDER] ?? tmpdir(), 'tarsy-config-'));
  await writeFile(join(dir, 'tarsy.yaml'), stringify({ ...natsSection(), ...config }));
  const providers = {
    llm_providers: {
      scripted: { type: 'openai', model: 'scripted-1', api_key_env: 'SCRIPTED_KEY' },
      'scripted-small': {
        type: 'openai',
        model: 'scripted-3',
        api_key_env: 'SCRIPTED_KEY',
        context_window: SMALL_WINDOW,
      },
      'scripted-32k': {
        type: 'openai',
        model: 'scripted-4',
        api_key_env: 'SCRIPTED_KEY',
        context_window: 32_000,
      },
      'scripted-google': { type: 'google', model: 'scripted-2', api_key_env: 'SCRIPTED_KEY' },
      ...more,
    },
  };
  await writeFile(join(dir, 'llm-providers.yaml'), stringify(providers));
  return dir;
}
