import { expect, test } from 'vitest';
import { loadText } from '../../test/fixtures/config/load-text.ts';

const YAML = `
mcp_servers:
  own:
    transport:
      type: stdio
      command: x
      env: { KUBECONFIG: /of/the/file }
      inherit_env: [KUBECONFIG, HTTPS_PROXY, CLOUD_TOKEN, NOT_SET]
`;
const ENV = {
  KUBECONFIG: '/of/the/environment',
  HTTPS_PROXY: 'http://me:pass%2Fword@proxy:3128',
  CLOUD_TOKEN: 'cloud-token-1',
  OTHER: 'x',
};

test('a stdio server gets the inherited variables that are set; its own take precedence', async () => {
  const { mcpServers } = await loadText(YAML, ENV);
  expect(mcpServers.own?.transport).toMatchObject({
    inheritEnv: ['KUBECONFIG', 'HTTPS_PROXY', 'CLOUD_TOKEN', 'NOT_SET'],
    env: { KUBECONFIG: '/of/the/file', HTTPS_PROXY: ENV.HTTPS_PROXY, CLOUD_TOKEN: 'cloud-token-1' },
  });
  const { transport } = mcpServers.own!;
  expect(Object.keys('env' in transport ? transport.env : {})).not.toContain('NOT_SET');
});

const NETWORK = {
  HTTP_PROXY: 'http://proxy:3128',
  https_proxy: 'http://me:s3cret-word@proxy:3128',
  NO_PROXY: '.local',
  all_proxy: 'socks5://proxy:1080',
  NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
  SSL_CERT_FILE: '/etc/ca.pem',
  REQUESTS_CA_BUNDLE: '/etc/ca.pem',
  npm_config_cafile: '/etc/ca.pem',
};

test('every stdio server inherits proxies and certificates, whose passwords are redacted', async () => {
  const bare = 'mcp_servers:\n  own: { transport: { type: stdio, command: x, env: { NO_PROXY: all } } }';
  const { mcpServers, redact } = await loadText(bare, { ...NETWORK, CLOUD_TOKEN: 'cloud-token-1' });
  expect(mcpServers.own?.transport).toMatchObject({ env: { ...NETWORK, NO_PROXY: 'all' } });
  expect(mcpServers.own?.transport).not.toHaveProperty('env.CLOUD_TOKEN');
  expect(redact(NETWORK.https_proxy)).toBe('http://me:***@proxy:3128');
});

test('redacts secrets in inherited variables and nothing else', async () => {
  const { redact } = await loadText(YAML, ENV);
  expect(redact(`${ENV.HTTPS_PROXY} pass/word cloud-token-1 ${ENV.KUBECONFIG} ${ENV.OTHER}`)).toBe(
    'http://me:***@proxy:3128 *** *** /of/the/environment x',
  );
});

test('the built-in Kubernetes server inherits the variables of its cluster and proxy', async () => {
  const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', https_proxy: 'http://proxy:3128', OTHER: 'x' };
  const transport = (await loadText('{}', env)).mcpServers['kubernetes-server']?.transport;
  expect(transport).toMatchObject({
    env: { KUBERNETES_SERVICE_HOST: '10.0.0.1', https_proxy: env.https_proxy },
  });
  expect(transport).not.toHaveProperty('env.OTHER');
});
