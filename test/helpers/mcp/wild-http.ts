import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenOn } from './listen.ts';
import type { RpcMessage } from './wild-answers.ts';

/** One request of a client to the fake server over HTTP. */
export interface WildRequest {
  request: IncomingMessage;
  response: ServerResponse;
  message: RpcMessage;
}

export interface WildHttp {
  url: string;
  close(): Promise<void>;
}

/** Starts an HTTP server that passes each request to `handle`. Requests without a body have an empty message. */
export async function startWildHttp(handle: (received: WildRequest) => void): Promise<WildHttp> {
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const body = Buffer.concat(await request.toArray()).toString();
    handle({ request, response, message: body === '' ? {} : (JSON.parse(body) as RpcMessage) });
  };
  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy());
  });
  const port = await listenOn(server);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export function sendJson(
  response: ServerResponse,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export function sendEvents(response: ServerResponse, messages: readonly unknown[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(messages.map((message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`).join(''));
}
