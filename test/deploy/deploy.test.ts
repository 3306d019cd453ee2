import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { type ClusterFacts, type Kubectl, ownOverlay, scriptKubectl } from '../helpers/kubectl.ts';
import { type SignInProxy, startSignInProxy } from '../helpers/sign-in-proxy.ts';
import { of } from './network-problems.ts';
import { CANNOT_RENDER, type Manifest, ROOT } from './render.ts';

/** Secrets that the command must never show. */
const SECRETS = {
  DATABASE_URL: 'postgres://tarsy:database-secret@db:5432/tarsy',
  OAUTH2_PROXY_CLIENT_ID: 'client-id-secret',
  OAUTH2_PROXY_CLIENT_SECRET: 'client-secret-secret',
  OAUTH2_PROXY_COOKIE_SECRET: 'cookie-secret-secret',
  ANTHROPIC_API_KEY: 'anthropic-secret',
  SLACK_BOT_TOKEN: 'slack-secret',
  TARSY_KEY: Buffer.alloc(32, 'key-secret').toString('base64'),
};
const NAMES = {
  TARSY_IMAGE: 'quay.io/acme/tarsy:1.2.3',
  TARSY_LLM_SERVICE_IMAGE: `quay.io/acme/tarsy-llm@sha256:${'0'.repeat(64)}`,
  OAUTH2_PROXY_EMAIL_DOMAINS: 'acme.test',
  OAUTH2_PROXY_PROVIDER: 'oidc',
};
const THERE: ClusterFacts = { objects: ['namespace/tarsy'] };

describe.skipIf(CANNOT_RENDER)('npm run deploy', () => {
  let app: TestApp;
  let proxy: SignInProxy;
  let kubectl: Kubectl | undefined;
  beforeAll(async () => {
    app = await startTestApp({ auth: { mode: 'proxy', trusted_proxies: ['127.0.0.1'] } });
    proxy = await startSignInProxy(app.url, '401');
  });
  afterEach(() => kubectl?.stop());
  afterAll(async () => {
    await proxy.close();
    await app.stop();
  });

  /** Runs the deploy command with a cluster in this state. */
  async function deploy(args: string[], env: Record<string, string>, facts: ClusterFacts = THERE) {
    kubectl = scriptKubectl({ service: app.url, ...facts });
    const path = `${kubectl.dir}:${process.env.PATH}`;
    const child = spawn(process.execPath, [join(ROOT, 'scripts/deploy/run.ts'), ...args], {
      env: { PATH: path, TARSY_DASHBOARD_URL: proxy.url, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [out, error, status] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
    const calls = kubectl.calls();
    const applied = calls.filter(({ args: [verb] }) => verb === 'apply');
    const objects: Manifest[] = applied.flatMap(({ input }) => JSON.parse(input).items);
    return { out, error, status, calls, applied, objects };
  }

  /** Returns the variables that pods receive from the applied Secrets. */
  const secretsOf = (objects: Manifest[]): Record<string, Record<string, string>> =>
    Object.fromEntries(
      of(objects, 'Secret').map(({ metadata, data }) => [
        metadata.name,
        Object.fromEntries(
          Object.entries<string>(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
        ),
      ]),
    );
  const container = (objects: Manifest[], deployment: string, name: string): Manifest =>
    of(objects, 'Deployment')
      .find(({ metadata }) => metadata.name === deployment)
      .spec.template.spec.containers.find((each: Manifest) => each.name === name);

  test('applies an overlay with names and secrets from the environment, and checks that it works', async () => {
    const { out, error, status, calls, objects } = await deploy(['kubernetes'], { ...SECRETS, ...NAMES });
    expect({ status, error }).toEqual({ status: 0, error: '' });

    expect(secretsOf(objects)).toEqual({
      'tarsy-database': { url: SECRETS.DATABASE_URL },
      'tarsy-oauth2-proxy': {
        'client-id': SECRETS.OAUTH2_PROXY_CLIENT_ID,
        'client-secret': SECRETS.OAUTH2_PROXY_CLIENT_SECRET,
        'cookie-secret': SECRETS.OAUTH2_PROXY_COOKIE_SECRET,
      },
      'tarsy-llm-keys': { ANTHROPIC_API_KEY: SECRETS.ANTHROPIC_API_KEY },
      'tarsy-tokens': { SLACK_BOT_TOKEN: SECRETS.SLACK_BOT_TOKEN },
      'tarsy-key': { TARSY_KEY: SECRETS.TARSY_KEY },
    });
    expect(container(objects, 'tarsy-api', 'api').image).toBe(NAMES.TARSY_IMAGE);
    expect(container(objects, 'tarsy-llm-service', 'llm-service').image).toBe(NAMES.TARSY_LLM_SERVICE_IMAGE);
    expect(of(objects, 'Ingress')[0].spec).toMatchObject({
      tls: [{ hosts: ['127.0.0.1'] }],
      rules: [{ host: '127.0.0.1' }],
    });
    const shared = (name: RegExp) =>
      of(objects, 'ConfigMap').find(({ metadata }) => name.test(metadata.name));
    expect(shared(/^tarsy-environment-/).data.TARSY_DASHBOARD_URL).toBe(proxy.url);
    expect(shared(/^tarsy-sign-in-(?!page)/).data).toEqual({
      OAUTH2_PROXY_EMAIL_DOMAINS: 'acme.test',
      OAUTH2_PROXY_PROVIDER: 'oidc',
    });
    // Pods restart when their environment changes, because they refer to a ConfigMap by a name with its hash.
    expect(container(objects, 'tarsy-api', 'oauth2-proxy').envFrom[0].configMapRef.name).toBe(
      shared(/^tarsy-sign-in-(?!page)/).metadata.name,
    );

    expect(calls.map(({ args: [verb, what] }) => `${verb} ${what}`)).toEqual([
      ...['kustomize', 'kustomize'].map((verb) => expect.stringContaining(verb)),
      'config current-context',
      'apply --server-side', // applies the namespace
      'get namespace',
      'apply --server-side', // applies the Secrets
      'apply --server-side',
      ...Array.from({ length: 3 }, () => 'rollout status'),
      'get --raw',
    ]);
    expect(out).toContain('tarsy/test says that it is healthy');
    expect(out).toContain('requires a sign-in');
  });

  test('never shows a secret in its output or on a command line', async () => {
    const { out, error, calls } = await deploy(['kubernetes'], { ...SECRETS, ...NAMES });
    expect(out).toContain('tarsy-oauth2-proxy (client-id, client-secret, cookie-secret)');
    const seen = [out, error, ...calls.flatMap(({ args }) => args)].join('\n');
    for (const value of Object.values(SECRETS)) expect(seen).not.toContain(value);
  });

  test('a dry run lets the cluster report the changes without applying them', async () => {
    const { out, status, applied, calls } = await deploy(['--dry-run', 'kubernetes'], {
      ...SECRETS,
      ...NAMES,
    });
    expect(status).toBe(0);
    expect(applied).toHaveLength(3);
    for (const { args } of applied) expect(args).toContain('--dry-run=server');
    expect(calls.filter(({ args }) => args[0] === 'rollout')).toEqual([]);
    expect(out).toContain('Deployment/tarsy-api');
  });

  test('a dry run without a namespace reports where it stops', async () => {
    const { out, status, applied } = await deploy(['--dry-run', 'kubernetes'], { ...SECRETS, ...NAMES }, {});
    expect(status).toBe(0);
    expect(applied).toHaveLength(1);
    expect(out).toMatch(/\d+ more objects would follow/);
  });

  test('names all missing variables at once, before any change', async () => {
    const { OAUTH2_PROXY_CLIENT_SECRET: _, DATABASE_URL: __, ...some } = SECRETS;
    const { error, status, applied } = await deploy(['kubernetes'], { ...some, ...NAMES });
    expect(status).toBe(1);
    expect(error).toContain('DATABASE_URL (for the Secret tarsy-database)');
    expect(error).toContain('OAUTH2_PROXY_CLIENT_SECRET (for the Secret tarsy-oauth2-proxy)');
    expect(applied).toEqual([]);
  });

  test('keeps Secrets of the cluster that the environment does not define', async () => {
    const names = ['tarsy-database', 'tarsy-oauth2-proxy', 'tarsy-key'];
    const objects = ['namespace/tarsy', ...names.map((name) => `secret/${name}`)];
    const run = await deploy(['kubernetes'], NAMES, { objects });
    expect({ status: run.status, error: run.error }).toEqual({ status: 0, error: '' });
    expect(of(run.objects, 'Secret')).toEqual([]);
  });

  test('creates the key shared by API and workers if neither environment nor cluster has one', async () => {
    const { TARSY_KEY: _, ...others } = SECRETS;
    const { objects, out, error } = await deploy(['kubernetes'], { ...others, ...NAMES });
    const { 'tarsy-key': key } = secretsOf(objects);
    expect(Buffer.from(key!.TARSY_KEY!, 'base64')).toHaveLength(32);
    expect(out + error).not.toContain(key!.TARSY_KEY);
    for (const role of ['api', 'worker']) {
      const sources = container(objects, `tarsy-${role}`, role).envFrom.map(
        ({ secretRef }: Manifest) => secretRef?.name,
      );
      // The last source wins, so a key that the Secret of tokens contains stays valid.
      expect(sources.slice(-2)).toEqual(['tarsy-key', 'tarsy-tokens']);
    }
    kubectl?.stop();
    const again = await deploy(['kubernetes'], { ...others, ...NAMES });
    expect(secretsOf(again.objects)['tarsy-key']).not.toEqual(key);
  });

  test("refuses the example's placeholder names", async () => {
    const { error, status, applied } = await deploy(['kubernetes'], { ...SECRETS, TARSY_DASHBOARD_URL: '' });
    expect(status).toBe(1);
    for (const variable of [
      'TARSY_IMAGE',
      'TARSY_LLM_SERVICE_IMAGE',
      'TARSY_DASHBOARD_URL',
      'OAUTH2_PROXY_EMAIL_DOMAINS',
    ])
      expect(error).toContain(`set ${variable}`);
    expect(applied).toEqual([]);
  });

  test.each([
    ['TARSY_DASHBOARD_URL', 'http://tarsy.acme.test'],
    ['TARSY_DASHBOARD_URL', 'https://tarsy.acme.test/dashboard'],
    ['TARSY_IMAGE', 'quay.io/acme/tarsy'],
    ['GOOGLE_APPLICATION_CREDENTIALS', '/nowhere/vertex.json'],
  ])('refuses %s=%s', async (name, value) => {
    const { error, status, applied } = await deploy(['kubernetes'], { ...SECRETS, ...NAMES, [name]: value });
    expect(status).toBe(1);
    expect(error).toMatch(name === 'TARSY_IMAGE' ? /tag or digest/ : new RegExp(name));
    expect(applied).toEqual([]);
  });

  test('gives the LLM service the credentials of Vertex AI', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'tarsy-vertex-'));
    const file = join(dir, 'key.json');
    writeFileSync(file, '{"type":"service_account"}');
    const vertex = { GOOGLE_APPLICATION_CREDENTIALS: file, GOOGLE_CLOUD_PROJECT: 'acme' };
    const { objects, status } = await deploy(['kubernetes'], { ...SECRETS, ...NAMES, ...vertex });
    rmSync(dir, { recursive: true });
    expect(status).toBe(0);
    expect(secretsOf(objects)['tarsy-vertex']).toEqual({ 'vertex.json': '{"type":"service_account"}' });
    const { env, volumeMounts } = container(objects, 'tarsy-llm-service', 'llm-service');
    expect(env).toContainEqual({ name: 'GOOGLE_APPLICATION_CREDENTIALS', value: '/credentials/vertex.json' });
    expect(volumeMounts).toContainEqual({ name: 'vertex', mountPath: '/credentials', readOnly: true });
    const shared = of(objects, 'ConfigMap').find(({ metadata }) => /^tarsy-environment-/.test(metadata.name));
    expect(shared.data.GOOGLE_CLOUD_PROJECT).toBe('acme');
  });

  test('uses oc, a Route and an existing project on OpenShift', async () => {
    const { status, error, calls, objects } = await deploy(['openshift'], { ...SECRETS, ...NAMES });
    expect({ status, error }).toEqual({ status: 0, error: '' });
    expect(new Set(calls.map(({ tool }) => tool))).toEqual(new Set(['oc']));
    expect(of(objects, 'Route')[0].spec.host).toBe('127.0.0.1');
    kubectl?.stop();
    const without = await deploy(['openshift'], { ...SECRETS, ...NAMES }, {});
    expect(without.status).toBe(1);
    expect(without.error).toContain('oc new-project tarsy');
    expect(without.applied).toEqual([]);
  });

  test('accepts a custom overlay, and the tokens that its configuration names', async () => {
    const folder = ownOverlay(
      'kubernetes',
      `mcp_servers:\n  metrics:\n    transport: { bearer_token: "{{.METRICS_TOKEN}}" } # not {{.OTHER}}\n`,
    );
    try {
      const missing = await deploy([folder], { ...SECRETS, ...NAMES });
      expect(missing.error).toContain('METRICS_TOKEN (for the Secret tarsy-tokens)');
      expect(missing.error).not.toContain('OTHER');
      kubectl?.stop();
      const { objects, status } = await deploy([folder], {
        ...SECRETS,
        ...NAMES,
        METRICS_TOKEN: 'm',
        OTHER: 'o',
      });
      expect(status).toBe(0);
      const { SLACK_BOT_TOKEN } = SECRETS;
      expect(secretsOf(objects)['tarsy-tokens']).toEqual({ METRICS_TOKEN: 'm', SLACK_BOT_TOKEN });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('fails if pods do not become ready', async () => {
    const { error, status } = await deploy(
      ['kubernetes'],
      { ...SECRETS, ...NAMES },
      { ...THERE, stuck: 'tarsy-worker' },
    );
    expect(status).toBe(1);
    expect(error).toContain('rollout status deployment/tarsy-worker failed: error: timed out');
  });

  test('fails if the API answers a caller who is not signed in', async () => {
    const open = await startTestApp();
    try {
      const env = { ...SECRETS, ...NAMES, TARSY_DASHBOARD_URL: open.url };
      const { error, status } = await deploy(['--timeout', '1', 'kubernetes'], env);
      expect(status).toBe(1);
      expect(error).toContain('answers 200 without a sign-in');
    } finally {
      await open.stop();
    }
  });

  test('prints its usage, and reports unknown overlays', async () => {
    const wrong = await deploy(['--force', 'kubernetes'], {});
    expect(wrong).toMatchObject({ status: 2, calls: [] });
    expect(wrong.error).toMatch(/^Unknown option '--force'.*\n\nUsage: npm run deploy/);
    kubectl?.stop();
    const asked = await deploy(['--help'], {});
    expect(asked).toMatchObject({ status: 0, error: '' });
    kubectl?.stop();
    const nowhere = await deploy(['nowhere'], {});
    expect(nowhere).toMatchObject({
      status: 1,
      error: expect.stringContaining('give kubernetes, openshift'),
    });
    kubectl?.stop();
    const toolless = await deploy(['kubernetes'], { KUBECTL: 'no-such-kubectl' });
    expect(toolless.error).toContain('no-such-kubectl cannot be started: install it');
  });
});
