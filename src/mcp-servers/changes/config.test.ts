import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changesConfigFromEnv, parseRepositories } from './config.ts';
import { findCluster } from './kubernetes/kubeconfig.ts';

const repositories = (CHANGES_MCP_GIT_REPOSITORIES: string, CHANGES_MCP_GIT_TOKEN?: string) =>
  parseRepositories({ CHANGES_MCP_GIT_REPOSITORIES, CHANGES_MCP_GIT_TOKEN });

test('reads repositories with their branch', () => {
  expect(
    repositories(
      '  shop=https://git.example.com/shop.git#release/1 \n infra=/srv/infra/ keys=ssh://git@git.example.com/k.git',
    ),
  ).toEqual([
    {
      name: 'shop',
      url: 'https://git.example.com/shop.git',
      isLocal: false,
      branch: 'refs/heads/release/1',
      header: null,
    },
    { name: 'infra', url: '/srv/infra', isLocal: true, branch: 'HEAD', header: null },
    { name: 'keys', url: 'ssh://git@git.example.com/k.git', isLocal: false, branch: 'HEAD', header: null },
  ]);
  expect(repositories('')).toEqual([]);
});

test.each([
  ['shop', 'must be name=location'],
  ['shop=http://git.example.com/x', 'must be an https:// or ssh:// URL or an absolute path'],
  ['shop=ext::sh', 'must be an https:// or ssh:// URL or an absolute path'],
  ['shop=relative/path', 'must be an https:// or ssh:// URL or an absolute path'],
  [
    'shop=https://me:pw@git.example.com/x',
    'must not contain a user name or password; set CHANGES_MCP_GIT_TOKEN',
  ],
  ['shop=/srv/x#--upload-pack=evil', 'has an invalid branch'],
  ['a=/srv/x a=/srv/y', 'the name "a" is used twice'],
])('refuses the repository %s', (entry, reason) => {
  expect(() => repositories(entry)).toThrow(reason);
  expect(() => repositories(entry)).not.toThrow('pw');
});

test('gives the token to the https repositories of one host only', () => {
  const [shop, local] = repositories('shop=https://git.example.com/shop.git infra=/srv/infra', 'abc');
  const value = `Basic ${Buffer.from('x-access-token:abc').toString('base64')}`;
  expect([shop?.header, local?.header]).toEqual([{ url: 'https://git.example.com/', value }, null]);
  expect(() => repositories('a=https://one.example.com/a b=https://two.example.com/b', 'abc')).toThrow(
    'CHANGES_MCP_GIT_TOKEN is for one host',
  );
});

test('refuses an invalid time limit', () => {
  const HOME = '/nonexistent';
  expect(changesConfigFromEnv({ HOME }).timeoutMs).toBe(15_000);
  expect(() => changesConfigFromEnv({ HOME, CHANGES_MCP_TIMEOUT_SECONDS: '0' })).toThrow(
    'must be a number from 1 to 60',
  );
});

const folder = mkdtempSync(join(tmpdir(), 'changes-config-'));
function kubeconfig(name: string, content: object): string {
  writeFileSync(join(folder, name), JSON.stringify(content));
  return join(folder, name);
}
const context = (user: object, cluster: object = {}) => ({
  'current-context': 'c',
  contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  clusters: [{ name: 'c', cluster: { server: 'https://api.example.com:6443', ...cluster } }],
  users: [{ name: 'u', user }],
});

test('merges the files of KUBECONFIG, the first one that has a name wins', async () => {
  const first = kubeconfig('first', { users: [{ name: 'u', user: { token: 'of the first' } }] });
  const second = kubeconfig('second', context({ token: 'of the second' }, { 'tls-server-name': 'api' }));
  const cluster = findCluster({ KUBECONFIG: `${first}:${second}:${join(folder, 'none')}` });
  expect(cluster?.url.href).toBe('https://api.example.com:6443/');
  expect(cluster?.tls).toEqual({ servername: 'api' });
  expect(await cluster?.credentials()).toEqual({ token: 'of the first' });
});

test('runs the credential plugin of a kubeconfig, and runs it again when its credentials expire', async () => {
  const script = join(folder, 'plugin.sh');
  writeFileSync(
    script,
    `#!/bin/sh\nprintf x >> ${folder}/runs\nn=$(wc -c < ${folder}/runs)\necho '{"status":{"token":"'$WORD-$n'","expirationTimestamp":"2020-01-01T00:00:00Z"}}'\n`,
    { mode: 0o755 },
  );
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: './plugin.sh',
    env: [{ name: 'WORD', value: 'token' }],
  };
  const cluster = findCluster({ PATH: process.env.PATH, KUBECONFIG: kubeconfig('exec', context({ exec })) });
  expect(await cluster?.credentials()).toEqual({ token: 'token-1' });
  expect(await cluster?.credentials()).toEqual({ token: 'token-2' });
});

test('uses the service account of a pod, and reads its token for every request', async () => {
  const account = join(folder, 'account');
  mkdirSync(account);
  writeFileSync(join(account, 'ca.crt'), 'authority');
  writeFileSync(join(account, 'token'), 'one\n');
  const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443', HOME: '/nonexistent' };
  const cluster = findCluster(env, account);
  expect(cluster?.url.href).toBe('https://[fd00::1]:6443/');
  expect(await cluster?.credentials()).toEqual({ token: 'one' });
  writeFileSync(join(account, 'token'), 'two\n');
  expect(await cluster?.credentials()).toEqual({ token: 'two' });
  expect(findCluster(env, join(folder, 'no-account'))).toBeNull();
});

test.each([
  [{ ...context({}), 'current-context': '' }, 'set current-context'],
  [{ ...context({}), users: [] }, 'there is no user "u"'],
  [context({}, { server: 'ftp://x' }), 'is no http(s) URL'],
  [context({ 'auth-provider': { name: 'gcp' } }), 'auth-provider is not supported'],
])('refuses a kubeconfig with the reason', (content, reason) => {
  expect(() => findCluster({ KUBECONFIG: kubeconfig('wrong', content) })).toThrow(reason);
});
