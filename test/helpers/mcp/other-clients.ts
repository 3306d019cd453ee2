import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { devPython } from '../../../scripts/lib/dev-python.ts';

/** Requests that every client of TARSy's MCP server is tested with. Results have the form of the wire. */
export interface WireClient {
  request(method: string, params: Record<string, unknown>): Promise<WireResult>;
  close(): Promise<void>;
}

export interface WireResult {
  error?: unknown;
  isError?: boolean | null;
  content?: { text: string }[];
  structuredContent?: Record<string, unknown>;
  tools?: { name: string }[];
  resources?: { uri: string }[];
  capabilities?: { resources?: { subscribe?: boolean } };
  contents?: { text: string; mimeType: string }[];
}

/** Opens each client by its name. @param url address of the MCP endpoint */
export const WIRE_CLIENTS: Readonly<Record<string, (url: string, token: string) => Promise<WireClient>>> = {
  'the SDK of TypeScript, second generation': openSecond,
  'the SDK of TypeScript, first generation': openFirst,
  'the SDK of Python': openPython,
  'plain HTTP requests': openPlain,
};

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function openSecond(url: string, token: string): Promise<WireClient> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: bearer(token) } }),
  );
  return bySdk(client as never);
}

async function openFirst(url: string, token: string): Promise<WireClient> {
  const client = new FirstClient({ name: 'test', version: '1' });
  const transport = new FirstTransport(new URL(url), { requestInit: { headers: bearer(token) } });
  await client.connect(transport as never);
  return bySdk(client as never);
}

interface SdkClient {
  listTools(): Promise<object>;
  callTool(params: object): Promise<object>;
  listResources(): Promise<object>;
  readResource(params: object): Promise<object>;
  close(): Promise<void>;
}

function bySdk(client: SdkClient): WireClient {
  const methods: Record<string, (params: object) => Promise<object>> = {
    'tools/list': () => client.listTools(),
    'tools/call': (params) => client.callTool(params),
    'resources/list': () => client.listResources(),
    'resources/read': (params) => client.readResource(params),
  };
  return {
    request: async (method, params) =>
      methods[method]!(params).catch((error: Error) => ({ error: error.message })),
    close: () => client.close(),
  };
}

async function openPython(url: string, token: string): Promise<WireClient> {
  const script = resolve(import.meta.dirname, '../python/mcp_client.py');
  const child = spawn(await devPython(), [script, url, token], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    async request(method, params) {
      child.stdin.write(`${JSON.stringify({ method, params })}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error('the Python client has ended');
      return JSON.parse(value) as WireResult;
    },
    async close() {
      const exit = child.exitCode === null ? once(child, 'exit') : null;
      child.stdin.end();
      await exit;
    },
  };
}

/** A client without a library, as a script with curl: no handshake, one request per call. */
async function openPlain(url: string, token: string): Promise<WireClient> {
  let id = 0;
  return {
    async request(method, params) {
      id += 1;
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          ...bearer(token),
          ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        },
        body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      });
      const text = await response.text();
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
      const messages = isStream
        ? text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []))
        : [text];
      const { result, error } = JSON.parse(messages.at(-1)!) as { result?: WireResult; error?: object };
      return result ?? { error };
    },
    close: async () => {},
  };
}
