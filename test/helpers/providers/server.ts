import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenOn } from '../mcp/listen.ts';
import type { Answer, Family, Json } from './family.ts';

/** The point of an answer at which a provider fails. */
export type FaultPoint = 'start' | 'text' | 'call';

/**
 * How a provider fails: a status (with an unreasonably long wait), a cut connection, silence, or an error
 * event in the stream.
 */
export type FaultKind = 401 | 402 | 404 | 429 | 503 | 'cut' | 'silence' | 'error';

export interface Fault {
  at: FaultPoint;
  how: FaultKind;
  /** The number of tool results in the conversation when the fault occurs. */
  after: number;
}

/**
 * One provider's server. The model concludes after a number of tool results, unless the provider fails
 * before.
 */
export interface Play {
  family: Family;
  /** A permanent failure from a point of the conversation on. */
  fault?: Fault;
  answer: (turn: number) => Omit<Answer, 'turn'>;
  /** Runs before the server answers a turn. */
  before?: (turn: number) => Promise<void>;
}

export interface ProviderServer {
  /** URL of a play by name. */
  url(name: string): string;
  /** Requests that strict servers refused. */
  readonly refused: readonly string[];
  /** The number of calls of each play. */
  readonly calls: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** Serves all plays, each under its own name. */
export async function startProviders(plays: Readonly<Record<string, Play>>): Promise<ProviderServer> {
  const refused: string[] = [];
  const calls = new Map<string, number>();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = request.url!.split('/')[1]!;
    const { family, fault, answer, before } = plays[name]!;
    calls.set(name, (calls.get(name) ?? 0) + 1);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Json;
    const problem = family.problem(body);
    if (problem !== null) {
      refused.push(`${name}: ${problem}`);
      response.writeHead(family.status ?? 400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { type: 'invalid_request_error', message: problem } }));
      return;
    }
    const turn = family.results(body);
    const failing = fault !== undefined && turn >= fault.after ? fault : null;
    if (typeof failing?.how === 'number') {
      response.writeHead(failing.how, { 'content-type': 'application/json', 'retry-after': '100' });
      response.end(JSON.stringify({ error: { message: `It says ${failing.how}.` } }));
      return;
    }
    await before?.(turn);
    response.writeHead(200, { 'content-type': family.contentType ?? 'text/event-stream' });
    response.flushHeaders();
    const said = { ...answer(turn), turn };
    const { begun, textRest, callBegun, rest } = family.answer(said);
    const pieces = [begun, textRest, callBegun, rest];
    if (failing === null) {
      const whole = pieces.join('');
      response.end(family.frame?.(whole) ?? whole);
      return;
    }
    const told = pieces.slice(0, { start: 0, text: 1, call: 3 }[failing.at]).join('');
    if (failing.how === 'error') response.end(told + family.failure);
    else if (failing.how === 'silence') response.write(told);
    else if (told === '') response.destroy();
    else response.write(told, () => response.destroy());
  }

  const server = createServer((request, response) => {
    response.on('error', () => {}); // a caller that disconnects is no failure
    handle(request, response).catch((error: unknown) => {
      refused.push(String(error));
      response.destroy();
    });
  });
  const port = await listenOn(server);
  return {
    url: (name) => `http://127.0.0.1:${port}/${name}`,
    refused,
    calls,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
