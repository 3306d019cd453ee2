import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { callTool, openExecutor } from '../../test/helpers/mcp/executor.ts';
import { type HttpMcpServer, startHttpMcp } from '../../test/helpers/mcp/http-server.ts';
import { listenOn } from '../../test/helpers/mcp/listen.ts';
import { DEFAULT_TOOL_RULES } from './tool-class.ts';
import type { McpServerSettings, ToolExecutor } from './types.ts';

let server: HttpMcpServer | null = null;
let executor: ToolExecutor | null = null;

afterEach(async () => {
  await executor?.close();
  await server?.close();
  executor = null;
  server = null;
});

type Kind = 'http' | 'sse';
const paths = { http: '/mcp', sse: '/sse' };

async function open(
  type: Kind,
  url: string,
  bearerToken: string,
  more: { verifySsl?: boolean; caFile?: string } = {},
): Promise<ToolExecutor> {
  const settings: McpServerSettings = {
    id: 'web',
    rules: { ...DEFAULT_TOOL_RULES, allowChanges: true },
    transport: { type, url: url + paths[type], bearerToken, ...more },
  };
  executor = await openExecutor([settings]);
  return executor;
}

describe.each<Kind>(['http', 'sse'])('%s', (type) => {
  it('lists and calls tools with the bearer token', async () => {
    server = await startHttpMcp('right');
    const tools = await open(type, server.url, 'right');
    expect(Object.fromEntries(tools.unavailableServers())).toEqual({});
    expect((await tools.listTools()).map((tool) => tool.name)).toEqual(['web.echo', 'web.note', 'web.huge']);
    expect(await callTool(tools, 'web__echo', { text: 'hello' })).toMatchObject({
      isError: false,
      content: 'hello',
    });
  });

  it("has a reason when unavailable, without the text of the server's answer", async () => {
    server = await startHttpMcp('right');
    const refused = await open(type, server.url, 'wrong');
    expect(refused.unavailableServers().get('web')).toBe('HTTP status 401');
    await refused.close();
    const url = server.url;
    await server.close();
    server = null;
    const gone = await open(type, url, 'right');
    expect(gone.unavailableServers().get('web')).toBe('the server could not be reached (ECONNREFUSED)');
  });
});

describe.each<Kind>(['http', 'sse'])('%s: a session that the server lost', (type) => {
  it.each<400 | 404>([400, 404])('is opened again after status %i', async (status) => {
    server = await startHttpMcp('right');
    const tools = await open(type, server.url, 'right');
    server.forget(status);
    // A call that never reached its tool is repeated even if the tool does not declare this safe.
    expect(await callTool(tools, 'web.note', { text: 'again' })).toMatchObject({
      isError: false,
      content: 'noted: again',
    });
  });
});

it.each<Kind>(['http', 'sse'])('%s: waits for a server that restarts', async (type) => {
  server = await startHttpMcp('right');
  const tools = await open(type, server.url, 'right');
  const port = Number(new URL(server.url).port);
  await server.close();
  const closed = server;
  server = null;
  let refused = 0;
  const away = Promise.withResolvers<void>();
  const trap = createServer((socket) => {
    socket.destroy();
    refused += 1;
    if (refused === 3) away.resolve();
  });
  await listenOn(trap, port);
  const call = callTool(tools, 'web.echo', { text: 'bridged' }, { timeoutMs: 20_000 });
  await away.promise;
  trap.close();
  await once(trap, 'close');
  server = await startHttpMcp('right', undefined, { port });
  expect(await call).toMatchObject({ isError: false, content: 'bridged' });
  expect(closed.url).toBe(server.url);
});

it('http: close ends the session on the server', async () => {
  server = await startHttpMcp('right');
  const tools = await open('http', server.url, 'right');
  await tools.close();
  expect(server.requests).toContain('DELETE /mcp');
});

it('http: refuses a message beyond the limit', async () => {
  server = await startHttpMcp('right');
  const tools = await open('http', server.url, 'right');
  const result = await callTool(tools, 'web.huge', {}, { timeoutMs: 3_000 });
  expect(result.isError).toBe(true);
  expect(result.content.length).toBeLessThan(300);
  expect((await callTool(tools, 'web.echo', { text: 'on' })).content).toBe('on');
});

it('the settings of a server can limit its calls', async () => {
  server = await startHttpMcp('right');
  const url = `${server.url}/mcp`;
  executor = await openExecutor([
    { id: 'web', transport: { type: 'http', url, bearerToken: 'right', timeoutMs: 1 } },
  ]);
  const result = await callTool(executor, 'web.huge');
  expect(result).toMatchObject({ isError: true, content: 'Tool web.huge failed: no answer within 1 ms' });
});

function selfSigned(): { key: string; cert: string } | null {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-tls-'));
  try {
    const options =
      'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1'.split(
        ' ',
      );
    execFileSync('openssl', [...options, '-keyout', 'key.pem', '-out', 'cert.pem'], {
      cwd: folder,
      stdio: 'ignore',
    });
    return {
      key: readFileSync(join(folder, 'key.pem'), 'utf8'),
      cert: readFileSync(join(folder, 'cert.pem'), 'utf8'),
    };
  } catch {
    return null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const tls = selfSigned();

describe.skipIf(tls === null).each<Kind>(['http', 'sse'])(
  '%s over TLS with an authority of its own',
  (type) => {
    it('is accepted if the settings name the certificate authority', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'mcp-ca-'));
      try {
        const caFile = join(folder, 'ca.pem');
        writeFileSync(caFile, tls?.cert ?? '');
        server = await startHttpMcp('right', tls ?? undefined);
        const tools = await open(type, server.url, 'right', { caFile });
        expect(Object.fromEntries(tools.unavailableServers())).toEqual({});
        expect((await callTool(tools, 'web.echo', { text: 'hello' })).content).toBe('hello');
        await tools.close();
        const without = await open(type, server.url, 'right', { caFile: join(folder, 'none.pem') });
        expect(without.unavailableServers().get('web')).toMatch(
          /certificate authorities cannot be read|HTTP/,
        );
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  },
);

describe.skipIf(tls === null).each<Kind>(['http', 'sse'])(
  '%s over TLS with a certificate nobody vouches for',
  (type) => {
    it('is refused unless the settings disable verification', async () => {
      server = await startHttpMcp('right', tls ?? undefined);
      const strict = await open(type, server.url, 'right');
      expect(strict.unavailableServers().has('web')).toBe(true);
      await strict.close();
      const lax = await open(type, server.url, 'right', { verifySsl: false });
      expect(Object.fromEntries(lax.unavailableServers())).toEqual({});
      expect(await callTool(lax, 'web.echo', { text: 'hello' })).toMatchObject({
        isError: false,
        content: 'hello',
      });
    });
  },
);
