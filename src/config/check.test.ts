import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { configFolder, loadText } from '../../test/fixtures/config/load-text.ts';
import { configCheck, printConfig } from './check.ts';
import { KEY_PATTERNS, SECRET_KEYS } from './key-visibility.ts';
import { loadConfig } from './load.ts';
import { childPattern } from './schema-tree.ts';

const configFolderOf = (tarsy: string, providers = '') => configFolder({ tarsy, providers });

async function run(dir: string, env: Record<string, string> = {}) {
  let text = '';
  const code = await configCheck({ dir, env, out: { write: (part) => (text += part) } });
  return { code, text };
}

const FULL = `
queue: { worker_concurrency: 3, session_timeout: 1h30m, max_concurrent_sessions: 8 }
system:
  dashboard_url: https://tarsy.example.com/
  allowed_ws_origins: ["https://*.example.com"]
  runbooks: { repo_url: https://github.com/a/b, cache_ttl: 0s, allowed_domains: [GitHub.com], private_hosts: [Git.internal:8443] }
auth: { mode: proxy, trusted_proxies: [127.0.0.1] }
access:
  roles: { viewer: { users: ["*"] }, admin: { groups: [SRE] } }
  teams: { payTeam: { groups: [pay] } }
  approvers: [{ users: [ada], tools: ["m.*"] }]
audit: { retention_days: 30 }
intake:
  sources:
    own: { type: generic, api_tokens: true, mapping: { title: $.t, labels: { podName: $.pod } } }
defaults:
  llm_provider: mine
  iteration_strategy: react
  success_policy: all
  runbook: "line one\\n\\nline two\\n"
  timeouts: { iteration: 2m, tool_call: 1500ms }
mcp_servers:
  m:
    transport: { type: sse, url: https://m.example.com, verify_ssl: false, timeout: 7s }
    data_masking: { custom_patterns: [{ pattern: '(?i)id-\\d+', replacement: X, description: ids }] }
    summarization: { enabled: false }
  n: { transport: { type: stdio, command: x, timeout: 2m } }
agents:
  A: { llm_provider: mine, iteration_timeout: 90s, mcp_servers: [m], native_tools: { url_context: false } }
agent_chains:
  c:
    alert_types: [t, u]
    stages:
      - { name: one, agents: [{ name: A, max_iterations: 4 }], replicas: 3, success_policy: any }
      - { name: two, agents: [{ name: A }, { name: HostAgent, mcp_servers: [] }] }
    chat: { enabled: false }
`;
const PROVIDERS = `
llm_providers:
  mine: { type: openai, model: m, base_url: http://localhost:1/v1, max_tool_result_tokens: 500 }
  vertex: { type: vertexai, model: m, project_env: MY_PROJECT }
`;

test('the printed configuration loads again as the same configuration', async () => {
  const first = await loadConfig({ dir: await configFolderOf(FULL, PROVIDERS), env: {} });
  const { llm_providers, ...tarsy } = parse(printConfig(first));
  const dir = await configFolderOf(stringify(tarsy), stringify({ llm_providers }));
  const second = await loadConfig({ dir, env: {} });
  // Printed built-ins are loaded as entries of the file; everything else must be equal.
  const comparable = (config: object) =>
    JSON.parse(JSON.stringify({ ...config, files: null, warnings: null }).replaceAll('"BUILTIN"', '"FILE"'));
  expect(comparable(second)).toEqual(comparable(first));
  expect(printConfig(second).replace(/^#.*\n/gm, '')).toBe(printConfig(first).replace(/^#.*\n/gm, ''));
});

test('prints no secrets', async () => {
  const dir = await configFolderOf(`
mcp_servers:
  web:
    transport:
      type: http
      url: https://admin:hunter2@m.example.com/{{.URL_TOKEN}}/mcp?key=query-secret
      bearer_token: literal-bearer
      custom_headers: { X-Api-Key: literal-header }
  program:
    transport: { type: stdio, command: x, args: ["--key={{.MY_API_KEY}}", "--host={{.HOST_NAME}}"], env: { PASSWORD: literal-env } }
    instructions: Never say {{.MY_API_KEY}}.
`);
  const { code, text } = await run(dir, {
    URL_TOKEN: 'url-secret',
    MY_API_KEY: 'key-secret',
    HOST_NAME: 'public-host',
  });
  expect(code).toBe(0);
  for (const secret of [
    'hunter2',
    'admin',
    'url-secret',
    'query-secret',
    'key-secret',
    'literal-bearer',
    'literal-header',
    'literal-env',
  ]) {
    expect(text).not.toContain(secret);
  }
  expect(parse(text).mcp_servers.web.transport).toEqual({
    type: 'http',
    url: 'https://***@m.example.com/***/mcp?***',
    bearer_token: '***',
    verify_ssl: true,
    custom_headers: { 'X-Api-Key': '***' },
  });
  expect(parse(text).mcp_servers.program).toMatchObject({
    transport: { args: ['--key=***', '--host=public-host'], env: { PASSWORD: '***' } },
    instructions: 'Never say ***.',
  });
});

const SECRETS = `
system: { dashboard_url: https://tarsy.example.com }
access: { roles: { admin: { users: [ada] } } }
auth: { mode: oidc, oidc: { issuer: https://login.example.com, client_id: tarsy, client_secret: literal-1 } }
intake:
  sources:
    a: { type: generic, tokens: [literal-source-token] }
    b: { type: generic, basic: { username: u, passwords: [literal-source-password] } }
    c: { type: generic, signature: { header: X-Signature, secrets: [literal-source-secret] } }
mcp_servers:
  bearer: { transport: { type: http, url: https://m.example.com, bearer_token: literal-2, custom_headers: { X-Api-Key: literal-3 } } }
  oauth: { transport: { type: http, url: https://m.example.com, oauth: { issuer: https://login.example.com, client_id: c, client_secret: literal-4 } } }
  program: { transport: { type: stdio, command: x, env: { PASSWORD: literal-5 } } }
`;

test('prints none of the keys that the configuration page hides', async () => {
  const providers =
    'llm_providers: { mine: { type: openai, model: m, headers: { X-Api-Key: literal-6 } } }\n';
  const text = printConfig(await loadText(SECRETS, {}, providers));
  expect(text).not.toContain('literal-');
  const hidden = (value: unknown, at: string): string[] => {
    if (value === '***') return [at];
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([key, inner]) =>
      hidden(inner, childPattern(at, KEY_PATTERNS.has(childPattern(at, '<name>')) ? '<name>' : key)),
    );
  };
  const printed = parse(text);
  expect(new Set(hidden(printed, ''))).toEqual(SECRET_KEYS);
  expect(printed.llm_providers.mine.headers).toEqual({ 'X-Api-Key': '***' });
});

test('redacts a secret as written and as escaped in JSON log lines', async () => {
  const secret = 'pass"w\\o\nrd';
  const { redact } = await loadText('defaults: { runbook: "{{.MY_TOKEN}}" }\n', { MY_TOKEN: secret });
  expect(redact(`said ${secret}`)).toBe('said ***');
  expect(redact(JSON.stringify({ msg: `said ${secret}` }))).toBe('{"msg":"said ***"}');
});

test('the header names files, provider and warnings', async () => {
  const dir = await configFolderOf('defaults: { llm_provider: xai-default }\n');
  const { text } = await run(dir);
  expect(text.split('\n').slice(0, 2)).toEqual([
    `# files: ${dir}/tarsy.yaml, ${dir}/llm-providers.yaml`,
    '# LLM provider: xai-default (configured as defaults.llm_provider)',
  ]);
  expect(text).toMatch(/^# warning: LLM provider xai-default /m);
});

test('an invalid configuration exits with 1 and prints all problems', async () => {
  const dir = await configFolderOf('queu: {}\n');
  expect(await run(dir)).toEqual({
    code: 1,
    text: `The configuration has 1 problem:\n  ${dir}/tarsy.yaml:1:1: queu: unknown key, did you mean "queue"?\n`,
  });
  expect(await run(dir, { HTTP_PORT: 'x' })).toEqual({
    code: 1,
    text: 'The environment cannot be used:\n  HTTP_PORT: expected a whole number between 0 and 65535, got "x"\n',
  });
});
