import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import { interpolate, receivers } from './compose-variables.ts';
import { templateVariables, variablesRead } from './config-problems.ts';
import { type Manifest, ROOT } from './render.ts';
import { namesRegistry } from './workload-problems.ts';

const DIR = join(ROOT, 'deploy/compose');
let text: string;
let compose: Manifest;
beforeAll(() => {
  text = readFileSync(join(DIR, 'compose.yaml'), 'utf8');
  compose = parse(text, { merge: true });
});

const exampleVariables = () =>
  [...readFileSync(join(DIR, '.env.example'), 'utf8').matchAll(/^(\w+)=(.*)$/gm)].map(
    ([, name, value]) => [name!, value!] as const,
  );

test('each service waits for its dependencies, and all of them exist', () => {
  const { services } = compose;
  for (const [name, { depends_on = {} }] of Object.entries<Manifest>(services)) {
    for (const [other, { condition }] of Object.entries<Manifest>(depends_on)) {
      expect(services, `${name} waits for ${other}`).toHaveProperty(other);
      const isTold = services[other].healthcheck?.disable !== true;
      if (condition === 'service_healthy') expect(isTold, `${other} tells its health`).toBe(true);
    }
  }
  expect(services.worker.depends_on).toHaveProperty('llm-service.condition', 'service_healthy');
  expect(services.migrate.depends_on).toHaveProperty('postgres.condition', 'service_healthy');
});

test('asks the database for its health over TCP, where its clients connect', () => {
  // Without a host, pg_isready asks the Unix socket, at which the first start answers before it listens.
  expect(compose.services.postgres.healthcheck.test).toContain('--host=127.0.0.1');
});

test('exposes only the proxy, and the API trusts only that proxy', () => {
  const open = Object.entries<Manifest>(compose.services).filter(([, { ports }]) => ports);
  expect(open.map(([name]) => name)).toEqual(['oauth2-proxy']);
  const config = parse(readFileSync(join(DIR, 'config/tarsy.yaml'), 'utf8'));
  const address = compose.services['oauth2-proxy'].networks.inside.ipv4_address;
  expect(config.auth).toEqual({
    mode: 'proxy',
    trusted_proxies: [address],
    identity_headers: 'x-forwarded',
  });
  expect(compose.networks.inside.ipam.config[0].subnet).toBe(address.replace(/\d+$/, '0/24'));
});

test('refers only to existing services, ports and variables', async () => {
  const { services } = compose;
  const environment = services.worker.environment;
  expect(Object.keys(services)).toContain(environment.LLM_SERVICE_ADDR.split(':')[0]);
  expect(environment.LLM_SERVICE_ADDR).toMatch(/:50051$/);
  expect(environment.DATABASE_URL).toContain('@postgres:5432/');
  expect(readFileSync(join(DIR, 'oauth2-proxy.cfg'), 'utf8')).toContain('upstreams = ["http://api:8080"]');
  expect(services['oauth2-proxy'].ports).toEqual([`\${TARSY_PORT:-4180}:4180`]);
  const config = readFileSync(join(DIR, 'config/tarsy.yaml'), 'utf8');
  const { system, llmProviders } = await loadConfig({ dir: join(DIR, 'config'), env: LOADABLE });
  const vertex = llmProviders['vertexai-default']!;
  const { tokenEnv, signingSecretEnv, appTokenEnv } = system.slack;
  const named = [
    tokenEnv,
    signingSecretEnv,
    appTokenEnv,
    system.github.tokenEnv,
    vertex.projectEnv,
    vertex.locationEnv,
  ];
  const read = new Set([...variablesRead(), ...templateVariables(config), ...named]);
  expect(Object.keys(environment).filter((name) => !read.has(name))).toEqual([]);
});

test('lists every variable in the example of .env, without secrets', () => {
  const named = exampleVariables();
  const used = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name!));
  expect(new Set(named.map(([name]) => name))).toEqual(used);
  for (const [name, value] of named)
    if (/SECRET|PASSWORD|KEY|TOKEN|CREDENTIALS/.test(name)) expect(value).toBe('');
});

/** Variables that only Compose itself uses: the published port and build arguments. */
const WHILE_BUILDING = ['TARSY_PORT', 'TARSY_COMMIT'];

/** The services that must receive each variable of .env; no other may. */
const RECEIVERS: Record<string, string[]> = {
  POSTGRES_PASSWORD: ['postgres', 'migrate', 'api', 'worker'],
  GOOGLE_API_KEY: ['llm-service'],
  ANTHROPIC_API_KEY: ['llm-service'],
  OPENAI_API_KEY: ['llm-service'],
  XAI_API_KEY: ['llm-service'],
  GOOGLE_APPLICATION_CREDENTIALS: ['llm-service'],
  GOOGLE_CLOUD_PROJECT: ['api', 'worker'],
  GOOGLE_CLOUD_LOCATION: ['api', 'worker'],
  TARSY_KEY: ['api', 'worker'],
  SLACK_BOT_TOKEN: ['api', 'worker'],
  SLACK_SIGNING_SECRET: ['api', 'worker'],
  SLACK_APP_TOKEN: ['api', 'worker'],
  GITHUB_TOKEN: ['api', 'worker'],
  TARSY_LLM_PROVIDER: ['api', 'worker'],
  TARSY_DASHBOARD_URL: ['api', 'worker', 'oauth2-proxy'],
  LOG_LEVEL: ['migrate', 'api', 'worker'],
};

test('passes every variable of .env to its services under its name, and to no other', () => {
  const env = Object.fromEntries(exampleVariables().map(([name]) => [name, `<${name}>`]));
  const filled = interpolate(compose, env);
  for (const name of Object.keys(env).filter((each) => !WHILE_BUILDING.includes(each))) {
    const expected = RECEIVERS[name] ?? (name.startsWith('OAUTH2_PROXY_') ? ['oauth2-proxy'] : []);
    expect(expected, `somebody gets ${name}`).not.toEqual([]);
    expect(receivers(filled, `<${name}>`), name).toEqual(expected);
  }
  for (const name of ['api', 'llm-service'])
    expect(filled.services[name].build.args).toEqual({ TARSY_COMMIT: '<TARSY_COMMIT>' });
  expect(filled.services['llm-service'].environment.GOOGLE_API_KEY).toBe('<GOOGLE_API_KEY>');
  expect(filled.services.worker.environment.SLACK_BOT_TOKEN).toBe('<SLACK_BOT_TOKEN>');
});

test('requires mandatory variables, and never leaves the sign-in open', () => {
  const env: Record<string, string> = Object.fromEntries(exampleVariables());
  const asked: string[] = [];
  for (;;) {
    try {
      interpolate(compose, env);
      break;
    } catch (error) {
      const name = (error as Error).message.split(':')[0]!;
      asked.push(name);
      env[name] = 'set';
    }
  }
  expect(asked.sort()).toEqual([
    'OAUTH2_PROXY_CLIENT_ID',
    'OAUTH2_PROXY_CLIENT_SECRET',
    'OAUTH2_PROXY_COOKIE_SECRET',
    'OAUTH2_PROXY_EMAIL_DOMAINS',
    'POSTGRES_PASSWORD',
  ]);
});

test('passes keys of models, tokens of MCP servers and the proxy from their own files to the processes that need them', () => {
  const files = Object.entries<Manifest>(compose.services).flatMap(([name, { env_file = [] }]) =>
    env_file.map(({ path, required }: Manifest) => [name, path, required]),
  );
  expect(files).toEqual([
    ['llm-service', 'llm.env', false],
    ['llm-service', 'outgoing.env', false],
    ['api', 'mcp.env', false],
    ['worker', 'mcp.env', false],
    ['worker', 'outgoing.env', false],
  ]);
  expect(readFileSync(join(DIR, 'mcp.env.example'), 'utf8')).toMatch(/^METRICS_TOKEN=$/m);
  expect(readFileSync(join(DIR, 'outgoing.env.example'), 'utf8')).toMatch(/^HTTPS_PROXY=$/m);
  expect(readFileSync(join(DIR, 'llm.env.example'), 'utf8')).toMatch(/^AZURE_OPENAI_KEY=$/m);
  expect(readFileSync(join(DIR, '.gitignore'), 'utf8').split('\n')).toEqual(
    expect.arrayContaining(['.env', 'llm.env', 'mcp.env', 'outgoing.env']),
  );
});

test('mounts the credentials of Vertex AI where .env.example says, for the LLM service only', () => {
  const mounts = Object.entries<Manifest>(compose.services).flatMap(([name, { volumes = [] }]) =>
    volumes.filter((mount: string) => mount.includes('credentials')).map((mount: string) => [name, mount]),
  );
  expect(mounts).toEqual([['llm-service', './credentials:/credentials:ro,z']]);
  expect(readFileSync(join(DIR, '.env.example'), 'utf8')).toContain('/credentials/vertex.json');
  expect(existsSync(join(DIR, 'credentials'))).toBe(true);
});

test('names the registry of every image, and has a health check for every long-running service', () => {
  for (const [name, { image, healthcheck, restart }] of Object.entries<Manifest>(compose.services)) {
    expect(namesRegistry(image), image).toBe(true);
    // The images of TARSy and of the LLM service contain their own check.
    const isOurs = image.startsWith('localhost/tarsy');
    if (restart !== 'no') expect(isOurs ? healthcheck?.disable : !healthcheck?.test, name).toBeFalsy();
  }
});

test('tests use the deployed version of oauth2-proxy', () => {
  const built = /^version=(.+)$/m.exec(readFileSync(join(ROOT, 'scripts/oauth2-proxy.sh'), 'utf8'))![1];
  const { images } = parse(readFileSync(join(ROOT, 'deploy/kustomize/base/kustomization.yaml'), 'utf8'));
  expect(compose.services['oauth2-proxy'].image).toBe(`quay.io/oauth2-proxy/oauth2-proxy:${built}-alpine`);
  expect(images.find(({ name }: Manifest) => name === 'oauth2-proxy').newTag).toBe(built);
});

const LOADABLE = { TARSY_DASHBOARD_URL: 'http://localhost:4180', TARSY_LLM_PROVIDER: 'offline' };

test('the configuration loads with the defaults', async () => {
  const config = await loadConfig({ dir: join(DIR, 'config'), env: LOADABLE });
  expect(config.defaults.llmProvider).toBe('offline');
});
