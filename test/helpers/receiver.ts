import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { freePort } from './free-port.ts';

/** A request that a receiver got. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** An answer of a receiver. `hang` sends nothing; `drop` closes the connection after the request was read. */
export type Answer = { status: number; headers?: Record<string, string> } | 'hang' | 'drop';

/** An HTTP server that records requests. The next requests get the scripted answers, further ones 200. */
export interface Receiver {
  url: string;
  port: number;
  received: Received[];
  answers: Answer[];
  /** Waits for the `count`th request and returns it. */
  nth(count: number): Promise<Received>;
  close(): Promise<void>;
}

export async function startReceiver(port?: number): Promise<Receiver> {
  const received: Received[] = [];
  const answers: Answer[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    received.push({ path: request.url ?? '', headers: request.headers, body });
    const answer = answers.shift() ?? { status: 200 };
    if (answer === 'drop') request.socket.destroy();
    else if (answer !== 'hang') response.writeHead(answer.status, answer.headers).end('noted');
  });
  server.listen(port ?? (await freePort()), '127.0.0.1');
  await once(server, 'listening');
  const own = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${own}/hook`,
    port: own,
    received,
    answers,
    async nth(count) {
      await expect.poll(() => received.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(count);
      return received[count - 1]!;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
