import { once } from 'node:events';
import { WebSocket } from 'ws';

/** A live connection of a client. */
export interface OpenStream {
  kind: 'WebSocket' | 'SSE' | 'MCP';
  /** Resolves when the server has ended the connection. */
  ended: Promise<void>;
  isOpen(): boolean;
  close(): void;
}

type Headers = Readonly<Record<string, string>>;

const SUBSCRIPTION = 'subscription { sessionsChanged { session { id } } }';

/** Opens a WebSocket, an event stream and a waiting MCP call. @param sessionId a session that does not end meanwhile */
export function openStreams(url: string, headers: Headers, sessionId: string): Promise<OpenStream[]> {
  return Promise.all([
    openSocket(url, headers),
    openResponse('SSE', `${url}/graphql`, headers, { query: SUBSCRIPTION }),
    openResponse('MCP', `${url}/mcp`, headers, {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: {
        name: 'get_investigation',
        arguments: { id: sessionId, wait_seconds: 300 },
        _meta: { progressToken: 'p' },
      },
    }),
  ]);
}

async function openSocket(url: string, headers: Headers): Promise<OpenStream> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { headers });
  await once(socket, 'open');
  const acknowledged = once(socket, 'message');
  socket.send('{"type":"connection_init"}');
  await acknowledged;
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: SUBSCRIPTION } }));
  return {
    kind: 'WebSocket',
    ended: once(socket, 'close').then(() => {}),
    isOpen: () => socket.readyState === WebSocket.OPEN,
    close: () => socket.terminate(),
  };
}

/** Sends a request whose answer is a stream. Resolves once the first bytes of the stream have arrived. */
async function openResponse(
  kind: OpenStream['kind'],
  url: string,
  headers: Headers,
  body: object,
): Promise<OpenStream> {
  const leaving = new AbortController();
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: kind === 'MCP' ? 'application/json, text/event-stream' : 'text/event-stream',
    },
    body: JSON.stringify(body),
    signal: leaving.signal,
  });
  if (response.status !== 200) throw new Error(`${kind}: ${response.status} ${await response.text()}`);
  const reader = response.body!.getReader();
  await reader.read();
  let open = true;
  const ended = (async () => {
    while (!(await reader.read().catch(() => ({ done: true }))).done);
    open = false;
  })();
  return { kind, ended, isOpen: () => open, close: () => leaving.abort() };
}
