import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { loadText } from '../../test/fixtures/config/load-text.ts';
import { describeEnvironment } from './describe.ts';
import { HIDDEN_KEYS, HIDDEN_VARIABLES, SHOWN_KEYS, SHOWN_VARIABLES } from './key-visibility.ts';
import { providersSchema, tarsySchema } from './schema.ts';
import { keyPatterns } from './schema-tree.ts';

test('every key is in exactly one visibility list', () => {
  const keys = [tarsySchema, providersSchema].flatMap((schema) =>
    keyPatterns(z.toJSONSchema(schema, { io: 'input' })),
  );
  expect(keys.length).toBeGreaterThan(200);
  expect([...SHOWN_KEYS, ...HIDDEN_KEYS].sort()).toEqual([...new Set(keys)].sort());
});

test('every environment variable is in exactly one visibility list', () => {
  const source = readFileSync(new URL('./env.ts', import.meta.url), 'utf8');
  const read = [...source.matchAll(/\bread(?:<[^(]*>)?\('([A-Z_]+)'/g)].map((found) => found[1]);
  expect(read.length).toBeGreaterThan(10);
  expect([...SHOWN_VARIABLES, ...HIDDEN_VARIABLES].sort()).toEqual([...new Set(read)].sort());
});

const TARSY = `
system:
  dashboard_url: https://tarsy.example.com
queue:
  max_pending: "{{.MOST}}"
  session_timeout: 1h30m
auth:
  mode: oidc
  oidc:
    issuer: https://login.example.com
    client_id: tarsy
    client_secret: literal-secret
access:
  roles:
    admin: { users: [ada] }
intake:
  sources:
    prod: { type: generic, tokens: [literal-token-of-a-source] }
  rules:
    - name: pay
      match: ['namespace="pay"']
      group_wait: 0s
mcp_servers:
  m:
    transport:
      type: http
      url: https://user:word@m.example.com/mcp?key=in-the-query
      bearer_token: "{{.M_TOKEN}}"
      custom_headers: { X-Api-Key: literal-header }
  n:
    transport: { type: stdio, command: x, args: ["--key", literal-arg], env: { PASSWORD: literal-env } }
    instructions: Never say {{.M_TOKEN}}.
agent_chains:
  c:
    alert_types: [t]
    stages:
      - name: one
        agents: [{ name: HostAgent, max_iterations: 4 }]
`;
const PROVIDERS = `
llm_providers:
  mine: { type: openai, model: m, headers: { X-Key: literal-provider-header } }
`;
const ENV = { MOST: '7', M_TOKEN: 'token-of-the-environment', WORKER_CONCURRENCY: '3' };

async function described(env: Record<string, string> = {}) {
  const config = await loadText(TARSY, { ...ENV, ...env }, PROVIDERS);
  const values = config.describe();
  const of = (path: string) => {
    const { file, ...value } = values.find((one) => one.path === path) ?? {};
    return { ...value, ...(file && { file: file.split('/').at(-1) }) };
  };
  return { values, of };
}
const file = (line: number, variables: string[] = [], name = 'tarsy.yaml') => ({
  ...{ hidden: false, from: 'FILE', file: name, line, variables },
});
const builtIn = { hidden: false, from: 'BUILT_IN', line: null, variables: [] };

test('describes each resolved value and its origin', async () => {
  const { of } = await described();
  expect(of('queue.session_timeout')).toEqual({ path: 'queue.session_timeout', value: '1h30m', ...file(6) });
  expect(of('queue.max_pending')).toMatchObject({ value: 7, ...file(5, ['MOST']) });
  expect(of('queue.max_attempts')).toMatchObject({ value: 3, ...builtIn });
  expect(of('queue.worker_concurrency')).toMatchObject({
    value: 3,
    ...{ from: 'ENVIRONMENT', variables: ['WORKER_CONCURRENCY'] },
  });
  expect(of('access.roles.admin.users')).toMatchObject({ value: ['ada'], ...file(15) });
  expect(of('access.roles.viewer.users')).toMatchObject({ value: [], ...builtIn });
  expect(of('intake.rules[0].match')).toMatchObject({ value: ['namespace="pay"'], ...file(21) });
  expect(of('intake.rules[0].group_wait')).toMatchObject({ value: '0s', ...file(22) });
  expect(of('agent_chains.c.stages[0].agents[0].max_iterations')).toMatchObject({ value: 4, ...file(38) });
  expect(of('agent_chains.host.stages[0].agents[0].name')).toMatchObject({ value: 'HostAgent', ...builtIn });
  expect(of('llm_providers.mine.model')).toMatchObject({ value: 'm', ...file(3, [], 'llm-providers.yaml') });
});

test('names the variable that fills a value missing in the files', async () => {
  expect((await described()).of('defaults.llm_provider')).toMatchObject({ value: 'offline', ...builtIn });
  const { of } = await described({ GOOGLE_API_KEY: 'key-of-google', NODE_ENV: 'production' });
  expect(of('defaults.llm_provider')).toMatchObject({
    value: 'google-default',
    ...{ from: 'ENVIRONMENT', variables: ['GOOGLE_API_KEY'] },
  });
  expect(of('api.introspection')).toMatchObject({
    value: false,
    from: 'ENVIRONMENT',
    variables: ['NODE_ENV'],
  });
});

test('describes only the existence of a secret and its variable', async () => {
  const { values, of } = await described();
  const text = JSON.stringify(values);
  const secrets = ['secret', 'token', 'header', 'arg', 'env', 'provider-header'].map(
    (name) => `literal-${name}`,
  );
  for (const secret of [...secrets, ENV.M_TOKEN, 'in-the-query', 'user:word'])
    expect(text).not.toContain(secret);
  expect(of('mcp_servers.m.transport.url')).toMatchObject({ value: 'https://***@m.example.com/mcp?***' });
  expect(of('mcp_servers.m.transport.bearer_token')).toMatchObject({
    ...{ value: null, hidden: true, from: 'FILE', line: 28, variables: ['M_TOKEN'] },
  });
  expect(of('mcp_servers.n.transport.env.PASSWORD')).toMatchObject({ value: null, hidden: true });
  // Hidden only because the value contains a secret.
  expect(of('mcp_servers.n.instructions')).toMatchObject({
    value: null,
    hidden: true,
    variables: ['M_TOKEN'],
  });
});

test('lists the set variables and hides secrets', () => {
  const env = { DATABASE_URL: 'postgres://u:p@h/d', HTTP_PORT: ' 80 ', LOG_LEVEL: '', OTHER: 'x' };
  expect(describeEnvironment(env)).toEqual([
    { name: 'HTTP_PORT', value: '80', hidden: false },
    { name: 'DATABASE_URL', value: null, hidden: true },
  ]);
});
