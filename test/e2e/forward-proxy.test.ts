import { createServer, type Server } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { type Cluster, startCluster } from '../helpers/cluster.ts';
import { type ForwardProxy, startForwardProxy } from '../helpers/forward-proxy.ts';
import { freePort } from '../helpers/free-port.ts';
import { type HttpMcpServer, startHttpMcp } from '../helpers/mcp/http-server.ts';
import { listenOn } from '../helpers/mcp/listen.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';
import { startFakeSlack } from '../helpers/slack/server.ts';
import type { FakeSlack } from '../helpers/slack/types.ts';
import { APP_TOKEN, SLACK_CHANNEL, SLACK_TOKEN } from '../helpers/slack/workspace.ts';

const ISSUER = 'https://id.example.test';
const MCP_TOKEN = 'token-of-the-mcp-server';

let sites: Server;
let mcp: HttpMcpServer;
let slack: FakeSlack;
let proxy: ForwardProxy;
let cluster: Cluster;
let url = '';

beforeAll(async () => {
  [sites, mcp, slack] = await Promise.all([startSites(), startHttpMcp(MCP_TOKEN), startFakeSlack()]);
  const site = `http://127.0.0.1:${(sites.address() as { port: number }).port}`;
  proxy = await startForwardProxy({
    'mcp.example.test': mcp.url,
    'sse.example.test': mcp.url,
    'plain.example.test': mcp.url,
    'wiki.example.test': site,
    'id.example.test': site,
    'slack.com': slack.url,
    'wss-primary.slack.com': slack.url,
  });
  slack.linkUrl = 'wss://wss-primary.slack.com/link/?ticket=1';
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const remote = (type: string, at: string) => ({
    transport: { type, url: at, bearer_token: MCP_TOKEN },
    allow_changes: true,
  });
  cluster = await startCluster({
    queue: { lease_duration: '60s' }, // a run that is repeated after a pause would take further responses
    system: {
      dashboard_url: url,
      runbooks: { allowed_domains: ['wiki.example.test'] },
      slack: {
        ...{ enabled: true, channel: SLACK_CHANNEL, token_env: 'MY_SLACK_TOKEN' },
        ...{ receive: 'socket', app_token_env: 'MY_APP_TOKEN' },
      },
      mcp_health: { interval: '1s', timeout: '5s' },
    },
    auth: { mode: 'oidc', oidc: { issuer: ISSUER, client_id: 'tarsy', client_secret: 'client-secret-1' } },
    access: { roles: { admin: { users: ['*'] } }, teams: null },
    mcpServers: {
      web: remote('http', 'https://mcp.example.test/mcp'),
      events: remote('sse', 'https://sse.example.test/sse'),
      plain: remote('http', 'http://plain.example.test/mcp'),
      near: remote('http', `${mcp.url}/mcp`),
      inside: remote('http', 'https://inside.example.test:8443/mcp'),
    },
    agents: { TestAgent: { mcp_servers: ['web', 'events', 'plain', 'near', 'tools'] } },
    env: {
      HTTP_PORT: String(port),
      TARSY_KEY: Buffer.alloc(32, 7).toString('base64'),
      MY_SLACK_TOKEN: SLACK_TOKEN,
      MY_APP_TOKEN: APP_TOKEN,
      HTTP_PROXY: proxy.url,
      https_proxy: proxy.url,
      NO_PROXY: 'other.test,inside.example.test:8443',
      SSL_CERT_FILE: proxy.caFile,
    },
  });
  // The worker trusts the authority by the other variable.
  await cluster.startWorker(undefined, { SSL_CERT_FILE: '', NODE_EXTRA_CA_CERTS: proxy.caFile });
});
afterAll(async () => {
  await cluster.stop();
  await Promise.all([proxy.close(), slack.close(), mcp.close()]);
  sites.close();
});

/** Serves a runbook and an OpenID provider whose authorization codes are the nonces of their sign-ins. */
async function startSites(): Promise<Server> {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const metadata = {
    issuer: ISSUER,
    authorization_endpoint: `${ISSUER}/authorize`,
    token_endpoint: `${ISSUER}/token`,
    jwks_uri: `${ISSUER}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
  const server = createServer(async (req, res) => {
    const json = (value: object) =>
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (req.url === '/disk.md')
      return void res.writeHead(200, { 'content-type': 'text/plain' }).end('Look at /var.');
    if (req.url === '/keys') return void json({ keys: [{ ...(await exportJWK(publicKey)), alg: 'RS256' }] });
    if (req.url !== '/token') return void json(metadata);
    const form = new URLSearchParams(Buffer.concat(await req.toArray()).toString());
    const claims = { email: 'ana@example.test', email_verified: true, nonce: form.get('code') };
    const signed = new SignJWT(claims).setProtectedHeader({ alg: 'RS256' }).setIssuer(ISSUER);
    const token = signed.setAudience('tarsy').setSubject('ana').setIssuedAt().setExpirationTime('5m');
    json({ access_token: 'a', token_type: 'Bearer', id_token: await token.sign(privateKey) });
  });
  await listenOn(server);
  return server;
}

/** Opens a page as a browser does, without following redirects. */
async function open(path: string, cookie = '') {
  const { headers, body } = await request(`${url}${path}`, { headers: { accept: 'text/html', cookie } });
  await body.dump();
  const cookies = [headers['set-cookie'] ?? []].flat().map((set) => set.split(';')[0]);
  return { location: String(headers.location), cookie: cookies.join('; ') };
}

async function signIn(): Promise<ApiClient> {
  const begun = await open('/');
  const { searchParams } = new URL(begun.location);
  const query = new URLSearchParams({ code: searchParams.get('nonce')!, state: searchParams.get('state')! });
  const ended = await open(`/auth/callback?${query}`, begun.cookie);
  expect(ended.location).toBe('/');
  return apiClient(url, { cookie: ended.cookie });
}

test('everything outside is reached through the proxy alone', async () => {
  const api = await signIn();
  expect(await api.query('{ viewer { name via } }')).toEqual({
    viewer: { name: 'ana@example.test', via: 'OIDC' },
  });
  const { llm } = cluster;
  const servers = ['web', 'events', 'plain', 'near'];
  llm.script(
    servers.map((server) => toolCall(`${server}.echo`, { text: `from ${server}` })),
    { text: 'Done.' },
    { text: 'In short: done.' },
  );
  const id = await api.submit('disk full', { runbookUrl: 'https://wiki.example.test/disk.md' });
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({ status: 'COMPLETED' });
  const said = llm.requests.map((request) => JSON.stringify(request)).join('\n');
  for (const text of ['Look at /var.', ...servers.map((server) => `from ${server}`)])
    expect(said).toContain(text);
  await expect.poll(() => slack.messages.length, { timeout: 20_000 }).toBeGreaterThan(0);
  await slack.link.connected();

  const hosts = new Set(proxy.seen.map((line) => /\S+? (?:http:\/\/)?([^/]+)/.exec(line)?.[1]));
  expect(hosts).toEqual(
    new Set([
      ...['mcp', 'sse', 'wiki', 'id'].map((name) => `${name}.example.test:443`),
      ...['plain.example.test', 'slack.com:443', 'wss-primary.slack.com:443'],
    ]),
  );
});

test('a server of NO_PROXY is looked for directly, and the password of the proxy is never shown', async () => {
  const api = await signIn();
  const query = '{ mcpServers { id healthy error } }';
  const find = async () =>
    (await api.query<{ mcpServers: { id: string; error: string | null }[] }>(query)).mcpServers.find(
      ({ id }) => id === 'inside',
    )?.error;
  await expect.poll(find, { timeout: 20_000 }).toMatch(/\((?:ENOTFOUND|EAI_AGAIN)\)/);
  expect(cluster.log().join('\n')).not.toContain('pass%2Fword');
});
