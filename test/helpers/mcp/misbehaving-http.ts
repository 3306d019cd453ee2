import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { listenOn } from './listen.ts';

/** An HTTP server that misbehaves in one chosen way. */
export interface MisbehavingHttp {
  /** Streamable HTTP at /mcp, SSE at /sse. */
  url: string;
  /** Requests to the redirect target, with their headers. */
  trapped: string[];
  close(): Promise<void>;
}

interface Rpc {
  id?: number;
  method?: string;
}
type Answer = (response: ServerResponse, message: Rpc, request: IncomingMessage, trap: string) => void;

const MIB = 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };
const EVENTS = { 'content-type': 'text/event-stream' };
const result = (id: number | undefined, value: unknown) =>
  JSON.stringify({ jsonrpc: '2.0', id, result: value });
const well = { content: [{ type: 'text', text: 'gone well' }] };
const json: Answer = (response, { id }) => response.writeHead(200, JSON_TYPE).end(result(id, well));
const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(code, headers).end('secret of the server');

/** Writes for as long as the client reads. */
function forever(response: ServerResponse, piece: string): void {
  const write = () => {
    while (!response.destroyed && response.write(piece));
    if (!response.destroyed) response.once('drain', write);
  };
  write();
}

/** Answers that the server sends in place of a correct answer to `tools/call`, by name. */
export const HTTP_CALLS: Record<string, Answer> = {
  'a redirect to another server': (response, _, __, trap) =>
    response.writeHead(307, { location: trap }).end(),
  'a redirect to itself': (response) => response.writeHead(307, { location: '/mcp' }).end(),
  'status 401': status(401, { 'www-authenticate': 'Bearer resource_metadata="http://127.0.0.1:1/x"' }),
  'status 500': status(500),
  'status 500 with 100 MiB': (response) => {
    response.writeHead(500);
    forever(response, 'b'.repeat(MIB));
  },
  'a connection reset': (response) => response.destroy(),
  'no answer': () => {},
  'a body drop by drop': (response) => {
    response.writeHead(200, JSON_TYPE);
    const drip = setInterval(() => response.write(' '), 20);
    response.once('close', () => clearInterval(drip));
  },
  'a body of 100 MiB': (response) => {
    response.writeHead(200, JSON_TYPE).write('{"text":"');
    forever(response, 'b'.repeat(MIB));
  },
  'a gzip bomb': (response) =>
    response
      .writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' })
      .end(gzipSync(Buffer.alloc(200 * MIB, 97))),
  'gzip that is none': (response) =>
    response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end('not gzip'),
  'a page': (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Log in</h1>'),
  'an empty body': (response) => response.writeHead(200, JSON_TYPE).end(),
  'accepted without an answer': (response) => response.writeHead(202).end(),
  'half a body': (response) => {
    response.writeHead(200, { ...JSON_TYPE, 'content-length': '1000' }).write('{"jsonrpc"');
    setImmediate(() => response.destroy());
  },
  'an event stream without events': (response) => {
    response.writeHead(200, EVENTS);
    const idle = setInterval(() => response.write(': alive\n\n'), 20);
    response.once('close', () => clearInterval(idle));
  },
  'an event stream that just ends': (response) => response.writeHead(200, EVENTS).end(),
  'an event stream that breaks off': (response) => {
    response.writeHead(200, EVENTS).write(': alive\n\n');
    setImmediate(() => response.destroy());
  },
  'an event stream that ends after a notification': (response) =>
    response
      .writeHead(200, EVENTS)
      .end('data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}\n\n'),
  'an event without end': (response) => {
    response.writeHead(200, EVENTS).write('data: ');
    forever(response, 'e'.repeat(MIB));
  },
  'events without end': (response) => {
    response.writeHead(200, EVENTS);
    forever(response, 'data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n'.repeat(500));
  },
  'comments without end': (response) => {
    response.writeHead(200, EVENTS);
    forever(response, `: ${'c'.repeat(60_000)}\n\n`);
  },
  'a stream to be resumed without end': (response) =>
    response.writeHead(200, EVENTS).end('id: 1\nretry: 0\ndata:\n\n'),
  'headers without end': (response) => {
    const socket = response.socket as Socket;
    socket.write('HTTP/1.1 200 OK\r\n');
    const more = setInterval(() => socket.write(`x-more: ${'h'.repeat(1000)}\r\n`), 1);
    socket.once('close', () => clearInterval(more));
  },
  'no HTTP': (response) => void (response.socket as Socket).end('SSH-2.0-OpenSSH_9.2\r\n'),
  'events whose lines end with CR LF': (response, { id }) => {
    response.writeHead(200, EVENTS);
    for (let index = 0; index < 12; index += 1) response.write(`: ${'c'.repeat(MIB)}\r\n\r\n`);
    response.end(`event: message\r\ndata: ${result(id, well)}\r\n\r\n`);
  },
  'a lost session': (response, message, request) => {
    if (request.headers['mcp-session-id'] === 'session-1') response.writeHead(404).end();
    else json(response, message, request, '');
  },
};

/**
 * Answers that the server sends in place of a correct answer to `GET`, the stream of server-initiated
 * messages.
 */
export const HTTP_STREAMS: Record<string, Answer> = {
  'a stream that ends at once, again and again': (response) =>
    response.writeHead(200, EVENTS).end('retry: 0\n\n'),
  'requests on the stream without end': (response) => {
    response.writeHead(200, EVENTS);
    forever(
      response,
      'data: {"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{}}\n\n'.repeat(50),
    );
  },
  'a stream refused': status(500),
};

/** Streams that the server sends in place of the stream of the older SSE transport. */
export const SSE_STREAMS: Record<string, Answer> = {
  'an endpoint on another server': (response, _, __, trap) =>
    response.writeHead(200, EVENTS).write(`event: endpoint\ndata: ${trap}\n\n`),
  'no endpoint': (response) => response.writeHead(200, EVENTS).write(': wait\n\n'),
  'an endpoint that does not answer': (response) =>
    response.writeHead(200, EVENTS).write('event: endpoint\ndata: /nowhere\n\n'),
  'an endpoint without end': (response) => {
    response.writeHead(200, EVENTS).write('event: endpoint\ndata: ');
    forever(response, 'e'.repeat(MIB));
  },
  'a redirect to another server': (response, _, __, trap) =>
    response.writeHead(302, { location: trap }).end(),
  'a page': (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Log in</h1>'),
  'status 401': status(401),
  'a connection reset': (response) => response.destroy(),
};

export async function startMisbehavingHttp(behaviour: string): Promise<MisbehavingHttp> {
  const trapped: string[] = [];
  const trap = createServer((request, response) => {
    trapped.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    response.end();
  });
  const trapUrl = `http://127.0.0.1:${await listenOn(trap)}/trap`;
  let sessions = 0;

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url === '/sse') return void SSE_STREAMS[behaviour]?.(response, {}, request, trapUrl);
    if (request.url !== '/mcp') return;
    // The request with which the client ends its session gets no answer.
    if (request.method === 'DELETE') return;
    if (request.method === 'GET') {
      const stream = HTTP_STREAMS[behaviour] ?? status(405);
      return stream(response, {}, request, trapUrl);
    }
    const message = JSON.parse(Buffer.concat(await request.toArray()).toString()) as Rpc;
    const { id, method } = message;
    if (method === 'initialize') {
      sessions += 1;
      const serverInfo = { name: 'misbehaving', version: '1.0.0' };
      const answer = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
      response
        .writeHead(200, { ...JSON_TYPE, 'mcp-session-id': `session-${sessions}` })
        .end(result(id, answer));
    } else if (method === 'tools/list') {
      const tools = [{ name: 'go', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }];
      response.writeHead(200, JSON_TYPE).end(result(id, { tools }));
    } else if (method === 'tools/call') {
      (HTTP_CALLS[behaviour] ?? json)(response, message, request, trapUrl);
    } else response.writeHead(202).end();
  };
  const server = createServer((request, response) => {
    response.on('error', () => {});
    handle(request, response).catch(() => response.destroy());
  });
  server.on('connection', (socket) => {
    socket.on('error', () => {});
  });
  const port = await listenOn(server);
  return {
    url: `http://127.0.0.1:${port}`,
    trapped,
    async close() {
      for (const one of [server, trap]) {
        one.closeAllConnections();
        one.close();
        await once(one, 'close');
      }
    },
  };
}
