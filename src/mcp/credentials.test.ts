import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { maskCredentials } from './credentials.ts';
import type { McpTransportSettings } from './types.ts';

const text =
  'tok-1234 Basic cm9vdDp4 cm9vdDp4 pa%2Fss-word pa/ss-word k-9876 prod-tenant env-value /etc/config tok-1234-long';

it.each<[string, McpTransportSettings, string]>([
  [
    'HTTP',
    {
      type: 'http',
      url: 'https://me:pa%2Fss-word@example.com/mcp?api_key=k-9876&tenant=prod-tenant',
      bearerToken: 'tok-1234',
      customHeaders: { 'X-Auth': 'Basic cm9vdDp4', 'X-Tenant': 'prod-tenant' },
    },
    'Z Z Z Z Z Z prod-tenant env-value /etc/config Z-long',
  ],
  [
    'stdio, the longer one first',
    {
      type: 'stdio',
      command: 'x',
      args: [],
      env: {
        A_TOKEN: 'tok-1234',
        B_TOKEN: 'tok-1234-long',
        DB_PASSWORD: 'env-value',
        KUBECONFIG: '/etc/config',
      },
    },
    'Z Basic cm9vdDp4 cm9vdDp4 pa%2Fss-word pa/ss-word k-9876 prod-tenant Z /etc/config Z',
  ],
  [
    'a proxy of stdio',
    { type: 'stdio', command: 'x', args: [], env: { HTTPS_PROXY: 'http://me:pa%2Fss-word@proxy:3128' } },
    'tok-1234 Basic cm9vdDp4 cm9vdDp4 Z Z k-9876 prod-tenant env-value /etc/config tok-1234-long',
  ],
  ['short words', { type: 'stdio', command: 'x', args: [], env: { AUTH: 'on' } }, text],
])('credentials that a server was given are hidden: %s', (_, settings, expected) => {
  expect(maskCredentials(settings, text).replaceAll('[MASKED_CREDENTIAL]', 'Z')).toBe(expected);
});

it('masks the current secret of a rotated file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-credentials-'));
  const bearerTokenFile = join(folder, 'token');
  const settings: McpTransportSettings = { type: 'http', url: 'https://example.com/mcp', bearerTokenFile };
  try {
    for (const token of ['token-of-old', 'token-of-now']) {
      await writeFile(bearerTokenFile, token);
      expect(maskCredentials(settings, `It is ${token}.`)).toBe('It is [MASKED_CREDENTIAL].');
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
