/** Commits of real repositories: alone, and as what Argo CD and Flux deployed. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  application,
  DEPLOY_URL,
  gitRepository,
  kustomization,
} from '../../test/fixtures/changes/delivery.ts';
import { startCluster, type TestCluster } from '../../test/helpers/changes/cluster.ts';
import { at, deployment } from '../../test/helpers/changes/objects.ts';
import { makeRepository, type TestRepository } from '../../test/helpers/changes/repository.ts';
import { type ShippedServer, startChanges } from '../../test/helpers/mcp/shipped-servers.ts';

const SECRET = 'Xk29fmQ7vLp3Zr81';

const configMap = (pool: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: checkout }\ndata:\n  POOL_SIZE: "${pool}"\n  DB_PASSWORD: ${SECRET}\n`;

let cluster: TestCluster;
let deploy: TestRepository;
let changes: ShippedServer;
const shas = { first: '', bad: '', search: '' };

beforeAll(async () => {
  cluster = await startCluster();
  deploy = makeRepository();
  shas.first = deploy.commit(
    {
      'apps/checkout/deployment.yaml': 'image: shop/checkout:1.4\nreplicas: 3\n',
      'apps/search/deployment.yaml': 'image: shop/search:8\n',
      'apps/checkout/config.yaml': configMap('20'),
      'apps/checkout/secret.yaml': `kind: Secret\nstringData:\n  password: ${SECRET}\n`,
    },
    { time: at(-9000), message: 'add the shop' },
  );
  shas.bad = deploy.commit(
    {
      'apps/checkout/deployment.yaml': 'image: shop/checkout:1.5\nreplicas: 3\n',
      'apps/checkout/secret.yaml': `kind: Secret\nstringData:\n  password: ${SECRET.toLowerCase()}9\n`,
      'apps/checkout/config.yaml': configMap('1'),
      'logo.png': Buffer.from([1, 0, 2]),
    },
    { time: at(-20), message: 'checkout: raise the version', author: 'Bob' },
  );
  shas.search = deploy.commit(
    { 'apps/search/deployment.yaml': 'image: shop/search:9\n' },
    { time: at(-5), message: 'search 9' },
  );
  changes = await startChanges({
    PATH: process.env.PATH!,
    KUBECONFIG: cluster.kubeconfig,
    CHANGES_MCP_GIT_REPOSITORIES: `deploy=${deploy.path}#main`,
  });
});
afterAll(async () => {
  await changes?.close();
  await cluster?.close();
  deploy?.remove();
});

const list = (args: object = {}) =>
  changes.call('list_changes', { alert_time: at(0), until: at(10), workload: 'checkout', ...args });

test('lists commits, first those that name the workload', async () => {
  cluster.reset(deployment('checkout', [{ number: 1, created: at(-9000) }]));
  const { text } = await list();
  expect(text.split('\n').filter((line) => /^\d+\. /.test(line))).toEqual([
    `1. 2026-11-28T09:40:00Z (20 min before) [near] commit repository deploy: ${shas.bad.slice(0, 12)} checkout: raise the version (apps/checkout/config.yaml, apps/checkout/deployment.yaml, apps/checkout/secret.yaml, logo.png); by Bob`,
    `2. 2026-11-28T09:55:00Z (5 min before) [other] commit repository deploy: ${shas.search.slice(0, 12)} search 9 (apps/search/deployment.yaml); by Alice`,
  ]);
});

test('shows a commit file by file, masked', async () => {
  const { text } = await changes.call('show_change', { id: `commit/deploy/${shas.bad.slice(0, 12)}` });
  expect(text).toContain(
    '--- a/apps/checkout/deployment.yaml\n+++ b/apps/checkout/deployment.yaml\n@@ -1,2 +1,2 @@\n-image: shop/checkout:1.4\n+image: shop/checkout:1.5\n replicas: 3',
  );
  expect(text).toContain('logo.png: a binary file, added');
  expect(text).toContain('apps/checkout/secret.yaml: contains a Secret, changed; its content is not shown');
  expect(text).toContain('-  POOL_SIZE: "20"\n+  POOL_SIZE: "1"');
  expect(text).toContain('PASSWORD: [MASKED_PASSWORD]');
  expect(text.toLowerCase()).not.toContain(SECRET.toLowerCase());
  const first = await changes.call('show_change', { id: `commit/deploy/${shas.first.slice(0, 12)}` });
  expect(first.text).toContain('--- /dev/null\n+++ b/apps/checkout/deployment.yaml');
});

test('shows the files between two revisions that Argo CD synced, in the folder of the application', async () => {
  cluster.reset([
    ...deployment('checkout', [{ number: 1, created: at(-9000) }]),
    application('checkout', [
      { id: 1, time: at(-8000), revision: shas.first },
      { id: 2, time: at(-4), revision: shas.search },
    ]),
  ]);
  const { text } = await list();
  expect(text).toMatch(/1\. .*\[own\] argo Application argocd\/checkout: synced/);
  const shown = await changes.call('show_change', { id: 'argo/argocd/checkout/2' });
  expect(shown.text).toContain('Files of repository deploy in apps/checkout:');
  expect(shown.text).toContain('-image: shop/checkout:1.4\n+image: shop/checkout:1.5');
  expect(shown.text).not.toContain('apps/search');
});

test('shows the files between two revisions that Flux applied', async () => {
  cluster.reset([
    ...deployment('checkout', [{ number: 1, created: at(-9000) }]),
    gitRepository('deploy', { time: at(-4), revision: `main@sha1:${shas.bad}` }),
    kustomization('shop', [
      { time: at(-8000), revision: `main@sha1:${shas.first}` },
      { time: at(-3), revision: `main@sha1:${shas.bad}` },
    ]),
  ]);
  const id = `kustomization/flux-system/shop/${Date.parse(at(-3)) / 1000}`;
  const { text } = await changes.call('show_change', { id });
  expect(text).toContain('-image: shop/checkout:1.4\n+image: shop/checkout:1.5');
});

test('says that a revision or a repository is not known', async () => {
  cluster.reset([
    application('checkout', [
      { id: 1, time: at(-8000), revision: shas.first },
      { id: 2, time: at(-4), revision: '1'.repeat(40) },
    ]),
    application('other', [{ id: 1, time: at(-4), revision: shas.bad }], {
      url: 'https://user:pw@git.example.com/else.git',
    }),
  ]);
  const unknown = await changes.call('show_change', { id: 'argo/argocd/checkout/2' });
  expect(unknown.text).toContain(`the fetched commits of repository deploy do not contain ${'1'.repeat(40)}`);
  const other = await changes.call('show_change', { id: 'argo/argocd/other/1' });
  expect(other.text).toContain('https://git.example.com/else.git is not in CHANGES_MCP_GIT_REPOSITORIES');
  expect(other.text).not.toContain('user:pw');
  expect(DEPLOY_URL).toContain('/deploy.git');
});

test('runs nothing that a repository configures, and leaves the checkout as it is', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'changes-hostile-'));
  const marker = join(folder, 'ran');
  const hostile = makeRepository();
  const evil = join(folder, 'evil');
  writeFileSync(evil, `#!/bin/sh\necho "$0 $*" >> ${marker}\ncat\n`, { mode: 0o755 });
  hostile.commit(
    { '.gitattributes': '*.txt diff=evil filter=evil\n', 'a.txt': 'one\n' },
    { time: at(-30), message: 'one' },
  );
  hostile.commit({ 'a.txt': 'two\n' }, { time: at(-20), message: 'two --output=/tmp/x' });
  for (const [key, value] of [
    ['diff.external', evil],
    ['diff.evil.command', evil],
    ['diff.evil.textconv', evil],
    ['filter.evil.smudge', evil],
    ['filter.evil.clean', evil],
    ['core.fsmonitor', evil],
    ['core.pager', evil],
    ['core.sshCommand', evil],
    ['uploadpack.packObjectsHook', evil],
    ['core.hooksPath', folder],
    ['gpg.program', evil],
    ['log.showSignature', 'true'],
  ])
    hostile.git('config', key!, value!);
  writeFileSync(join(folder, 'post-checkout'), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
  const status = () => readdirSync(join(hostile.path, '.git')).sort();
  const before = status();
  const server = await startChanges({
    PATH: process.env.PATH!,
    HOME: folder,
    CHANGES_MCP_GIT_REPOSITORIES: `hostile=${hostile.path}`,
  });
  const { text } = await server.call('list_changes', { alert_time: at(0) });
  const id = /id: (commit\/hostile\/\w+)/.exec(text)?.[1];
  const shown = await server.call('show_change', { id });
  await server.close();
  expect(text).toContain('two --output=/tmp/x (a.txt)');
  expect(shown.text).toContain('-one\n+two');
  expect(existsSync(marker)).toBe(false);
  expect(status()).toEqual(before);
  hostile.remove();
  rmSync(folder, { recursive: true });
});

test('says that git is missing, and still shows the cluster', async () => {
  cluster.reset(
    deployment('checkout', [
      { number: 1, created: at(-9000) },
      { number: 2, created: at(-3), image: 'shop/checkout:1.5' },
    ]),
  );
  const server = await startChanges({
    PATH: '/nonexistent',
    KUBECONFIG: cluster.kubeconfig,
    CHANGES_MCP_GIT_REPOSITORIES: `deploy=${deploy.path}`,
  });
  const { text, isError } = await server.call('list_changes', { alert_time: at(0), workload: 'checkout' });
  await server.close();
  expect(isError).toBe(false);
  expect(text).toContain('[own] rollout deployment shop/checkout');
  expect(text).toContain(
    '- repository deploy: git is not installed on this machine, or not in PATH; install it to see commits',
  );
});

test('says why a repository cannot be read', async () => {
  const server = await startChanges({
    PATH: process.env.PATH!,
    HOME: '/nonexistent',
    CHANGES_MCP_GIT_REPOSITORIES: 'gone=/nonexistent/repository',
  });
  const { text, isError } = await server.call('list_changes', { alert_time: at(0) });
  await server.close();
  expect(isError).toBe(true);
  expect(text).toMatch(/repository gone: git failed \(fatal: .*\/nonexistent\/repository/);
});

test('removes its copies of repositories when it ends', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'changes-copies-'));
  const server = await startChanges({
    PATH: process.env.PATH!,
    TMPDIR: folder,
    HOME: folder,
    CHANGES_MCP_GIT_REPOSITORIES: `deploy=${deploy.path}`,
  });
  await server.call('list_changes', { alert_time: at(0) });
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^tarsy-changes-/)]);
  await server.close();
  await expect.poll(() => readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});
