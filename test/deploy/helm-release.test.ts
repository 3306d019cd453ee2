import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { type KubernetesApi, startKubernetesApi } from '../helpers/kubernetes-api.ts';
import { CHART, HELM, VALUE_SETS, type Values } from './chart.ts';

/** Size of a Secret beyond which Kubernetes refuses it (bytes). */
const SECRET_BYTES = 1_048_576;

describe.skipIf(!HELM)('releases of the Helm chart (skipped without Helm)', () => {
  let api: KubernetesApi;
  let home: string;
  beforeEach(async () => {
    api = await startKubernetesApi();
    home = mkdtempSync(join(tmpdir(), 'tarsy-helm-'));
  });
  afterEach(async () => {
    await api.close();
    rmSync(home, { recursive: true });
  });

  async function helm(args: readonly string[], values?: Values) {
    const file = join(home, 'values.yaml');
    writeFileSync(file, stringify(values ?? {}));
    const all = [...args, '--namespace', 'tarsy', '--kube-apiserver', api.url];
    const child = spawn(HELM!, values ? [...all, '--values', file] : all, {
      env: { PATH: process.env.PATH, HOME: home },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [out, error, status] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
    const changes = api.changes.splice(0);
    return { out, error, status, changes };
  }
  const upgrade = (tag: string) =>
    helm(['upgrade', '--install', 'tarsy', CHART], {
      ...VALUE_SETS['of 0.1.0'],
      images: { tarsy: { tag } },
    });

  test('migrate before any pod changes, at the installation and at an upgrade', async () => {
    const installed = await upgrade('0.1.0');
    expect(installed).toMatchObject({ status: 0 });
    expect(installed.changes.slice(0, 2)).toEqual(['create Job tarsy-migrate', 'delete Job tarsy-migrate']);
    expect(installed.changes).toContain('create Deployment tarsy-api');

    const upgraded = await upgrade('0.2.0');
    expect(upgraded).toMatchObject({ status: 0 });
    expect(upgraded.changes[0]).toBe('create Job tarsy-migrate');
    const pods = upgraded.changes.filter((change) => change.includes('Deployment'));
    expect(pods.sort()).toEqual(['change Deployment tarsy-api', 'change Deployment tarsy-worker']);
  });

  test('change no pod if the migration fails, and migrate again at the next attempt', async () => {
    await upgrade('0.1.0');
    api.failJobs(true);
    const failed = await upgrade('0.2.0');
    expect(failed).toMatchObject({ status: 1, changes: ['create Job tarsy-migrate'] });
    expect(failed.error).toContain('job tarsy-migrate failed');

    api.failJobs(false);
    const again = await upgrade('0.2.0');
    expect(again).toMatchObject({ status: 0 });
    expect(again.changes.slice(0, 2)).toEqual(['delete Job tarsy-migrate', 'create Job tarsy-migrate']);
  });

  test('say which values of the example and which Secrets are missing', async () => {
    const { out } = await upgrade('0.1.0');
    expect(out).toContain(
      'before you use TARSy: images.llmService, images.tarsy, signIn.oauth2Proxy.emailDomains\n',
    );
    expect(out).toContain('tarsy-oauth2-proxy (client-id, client-secret, cookie-secret)');
    expect(out).not.toContain('No model is called');
  });

  test('make no Secret but the record of Helm, and leave nothing behind', async () => {
    await upgrade('0.1.0');
    const secrets = api.objects().filter(({ kind }) => kind === 'Secret');
    expect(secrets.map(({ type }) => type)).toEqual(['helm.sh/release.v1']);
    expect(JSON.stringify(secrets[0]).length).toBeLessThan(SECRET_BYTES / 2);
    expect(await helm(['uninstall', 'tarsy'])).toMatchObject({ status: 0 });
    expect(api.objects()).toEqual([]);
  });
});
