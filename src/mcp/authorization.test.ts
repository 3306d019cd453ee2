import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request as sendRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { callTool, openExecutor } from '../../test/helpers/mcp/executor.ts';
import { startHttpMcp } from '../../test/helpers/mcp/http-server.ts';
import { listenOn } from '../../test/helpers/mcp/listen.ts';
import { PARSE_MS } from './open-requests.ts';
import { DEFAULT_TOOL_RULES } from './tool-class.ts';
import type { McpOAuthSettings } from './types.ts';

let folder: string;
const ends: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-authorization-'));
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await rm(folder, { recursive: true });
});

async function serve(listener: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(listener);
  const port = await listenOn(server);
  ends.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${port}`;
}

it.each(['http', 'sse'] as const)('%s: reads the token file for each request', async (type) => {
  const bearerTokenFile = join(folder, 'token');
  await writeFile(bearerTokenFile, 'right\n');
  const server = await startHttpMcp('right');
  ends.push(server.close);
  const url = server.url + (type === 'http' ? '/mcp' : '/sse');
  const rules = { ...DEFAULT_TOOL_RULES, allowChanges: true };
  const tools = await openExecutor([{ id: 'web', rules, transport: { type, url, bearerTokenFile } }]);
  ends.push(tools.close);
  const echo = () => callTool(tools, 'web.echo', { text: 'token-of-old' }, { timeoutMs: 2_000 });
  expect((await echo()).isError).toBe(false);
  await writeFile(bearerTokenFile, 'token-of-old');
  expect(await echo()).toMatchObject({ isError: true, content: 'Tool web.echo failed: HTTP status 401' });
  await writeFile(bearerTokenFile, 'right');
  expect((await echo()).content).toBe('token-of-old');
  await rm(bearerTokenFile);
  const reason = 'the file of the bearer token cannot be read (ENOENT)';
  // Does not say that the outcome is unknown, because the call was never sent.
  const note = await callTool(tools, 'web.note', { text: 'later' }, { timeoutMs: 2_000 });
  expect(note.content).toBe(`Tool web.note failed: ${reason}`);
  expect((await echo()).content).toContain(reason);
});

it.each(['http', 'sse'] as const)('%s: gets a token from a slow issuer', async (type) => {
  const mcp = await startHttpMcp('granted');
  ends.push(mcp.close);
  const issuer = await serve((request, response) => {
    const own = `http://${request.headers.host}`;
    const metadata = {
      ...{ issuer: own, authorization_endpoint: `${own}/authorize`, token_endpoint: `${own}/token` },
      ...{ response_types_supported: ['code'], grant_types_supported: ['client_credentials'] },
    };
    const token = { access_token: 'granted', token_type: 'Bearer', expires_in: 3600 };
    const answer = request.url === '/token' ? token : metadata;
    response.writeHead(200, { 'content-type': 'application/json' });
    // Longer than the client waits for the last message of a stream that ended.
    setTimeout(() => response.end(JSON.stringify(answer)), 2 * PARSE_MS);
  });
  const server = await serve((request, response) => {
    if (request.url?.startsWith('/.well-known/')) {
      const metadata = { resource: `http://${request.headers.host}/`, authorization_servers: [issuer] };
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
    }
    const { method, headers } = request;
    const onward = sendRequest(`${mcp.url}${request.url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    return request.pipe(onward);
  });
  const oauth: McpOAuthSettings = { clientId: 'tarsy', clientSecret: 'secret', issuer };
  const url = server + (type === 'http' ? '/mcp' : '/sse');
  const tools = await openExecutor([{ id: 'web', transport: { type, url, oauth } }]);
  ends.push(tools.close);
  expect(Object.fromEntries(tools.unavailableServers())).toEqual({});
  expect((await callTool(tools, 'web.echo', { text: 'hello' })).content).toBe('hello');
});

it('sends no credentials to a token source without TLS that the issuer names', async () => {
  const trapped: unknown[] = [];
  const trap = await serve((request, response) => {
    trapped.push(request.headers);
    response.end('{}');
  });
  const asked: (string | undefined)[] = [];
  const issuer = await serve((request, response) => {
    asked.push(request.url);
    const own = `http://${request.headers.host}`;
    const metadata = {
      ...{ issuer: own, authorization_endpoint: `${own}/authorize`, token_endpoint: `${trap}/token` },
      ...{ response_types_supported: ['code'], grant_types_supported: ['client_credentials'] },
    };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
  });
  const server = await serve((request, response) => {
    if (request.url === '/mcp') return response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    const metadata = { resource: `http://${request.headers.host}/mcp`, authorization_servers: [issuer] };
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
  });
  const oauth: McpOAuthSettings = { clientId: 'tarsy', clientSecret: 'secret-of-the-client', issuer };
  const tools = await openExecutor([{ id: 'web', transport: { type: 'http', url: `${server}/mcp`, oauth } }]);
  ends.push(tools.close);
  expect(tools.unavailableServers().get('web')).toMatch(/which is not the configured issuer/);
  expect(asked).toContain('/.well-known/oauth-authorization-server');
  expect(trapped).toEqual([]);
});

it('sends no credentials or headers to the token source that a server names', async () => {
  const trapped: unknown[] = [];
  const trap = await serve((request, response) => {
    trapped.push(request.headers);
    response.end('{}');
  });
  const asked: (string | undefined)[] = [];
  const server = await serve((request, response) => {
    asked.push(request.url);
    if (request.url === '/mcp') {
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      return;
    }
    if (request.url?.startsWith('/.well-known/oauth-protected-resource') !== true) {
      response.writeHead(404).end();
      return;
    }
    const metadata = { resource: `http://${request.headers.host}/mcp`, authorization_servers: [trap] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
  });
  const oauth: McpOAuthSettings = {
    clientId: 'tarsy',
    clientSecret: 'secret-of-the-client',
    issuer: 'https://auth.example',
  };
  const customHeaders = { 'x-api-key': 'key-of-the-server' };
  const tools = await openExecutor([
    { id: 'web', transport: { type: 'http', url: `${server}/mcp`, oauth, customHeaders } },
  ]);
  ends.push(tools.close);
  expect(tools.unavailableServers().get('web')).toMatch(/which is not the configured issuer/);
  expect(asked).toContain('/.well-known/oauth-protected-resource/mcp');
  expect(trapped).toEqual([]);
});
