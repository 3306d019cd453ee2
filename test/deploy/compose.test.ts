import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import { templateVariables, variablesRead } from './config-problems.ts';
import { type Manifest, ROOT } from './render.ts';

const DIR = join(ROOT, 'deploy/compose');
let text: string;
let compose: Manifest;
beforeAll(() => {
  text = readFileSync(join(DIR, 'compose.yaml'), 'utf8');
  compose = parse(text, { merge: true });
});

test('waits for what each part needs, and depends on nothing that is not there', () => {
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

test('exposes the proxy alone, and the API believes that proxy alone', () => {
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

test('names services, ports and variables that there are', () => {
  const { services } = compose;
  const environment = services.worker.environment;
  expect(Object.keys(services)).toContain(environment.LLM_SERVICE_ADDR.split(':')[0]);
  expect(environment.LLM_SERVICE_ADDR).toMatch(/:50051$/);
  expect(environment.DATABASE_URL).toContain('@postgres:5432/');
  expect(readFileSync(join(DIR, 'oauth2-proxy.cfg'), 'utf8')).toContain('upstreams = ["http://api:8080"]');
  expect(services['oauth2-proxy'].ports).toEqual([`\${TARSY_PORT:-4180}:4180`]);
  const config = readFileSync(join(DIR, 'config/tarsy.yaml'), 'utf8');
  const read = new Set([...variablesRead(), ...templateVariables(config)]);
  expect(Object.keys(environment).filter((name) => !read.has(name))).toEqual([]);
});

test('the example of .env names every variable, and holds no secret', () => {
  const example = readFileSync(join(DIR, '.env.example'), 'utf8');
  const named = [...example.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!] as const);
  const used = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name!));
  expect(new Set(named.map(([name]) => name))).toEqual(used);
  for (const [name, value] of named) if (/SECRET|PASSWORD|KEY/.test(name)) expect(value).toBe('');
});

test('the configuration loads with the defaults', async () => {
  const env = { TARSY_DASHBOARD_URL: 'http://localhost:4180', TARSY_LLM_PROVIDER: 'offline' };
  const config = await loadConfig({ dir: join(DIR, 'config'), env });
  expect(config.defaults.llmProvider).toBe('offline');
});
