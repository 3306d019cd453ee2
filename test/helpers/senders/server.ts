import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import type { z } from 'zod';

/** A request that reached a route. `params` are the groups of the route's path, decoded. */
export interface Called {
  params: string[];
  query: URLSearchParams;
  body: never;
}

/** One documented operation of an API. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  path: RegExp;
  /** Strict schema of the JSON body; missing for GET. */
  body?: z.ZodType;
  /** True if the operation writes a note, so that scripted answers apply to it. */
  isNote?: boolean;
  answer(called: Called): { status: number; body?: unknown };
}

/** The API of a sender, as its documentation describes it. */
export interface SenderSpec {
  /** Headers that every request must carry, with their exact values. */
  headers: Record<string, string>;
  /** @default application/json */
  contentType?: string;
  /** Names of allowed query parameters. */
  query?: readonly string[];
  /** Body of the answer to a request without valid credentials, if its status is 200. */
  unauthorized?: unknown;
  routes(state: SenderState): Route[];
}

/** The contents of a fake sender. */
export interface SenderState {
  /** Notes by id of the object. An id without an entry does not exist. */
  notes: Map<string, string[]>;
  /** Objects that were acknowledged or resolved, such as `acknowledged P1`. */
  changes: string[];
}

/**
 * The reaction to the next note: an answer in place of storing it, storing it and then never answering (`hang`) or
 * closing the connection (`drop`), or never answering without storing it (`ignore`).
 */
export type Reaction = { status: number; headers?: Record<string, string> } | 'hang' | 'drop' | 'ignore';

export interface FakeSender extends SenderState {
  url: string;
  reactions: Reaction[];
  /** True if the sender closes every connection. */
  isAway: boolean;
  /** True if all credentials are refused. */
  refusesAll: boolean;
  /** Requests that the documentation does not allow, each with the reason. */
  violations: string[];
  requests: { method: string; url: string; headers: IncomingHttpHeaders; body: string }[];
  /** Waits until `count` notes are stored in all. */
  holds(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts a strict fake of a sender. @param objects ids of its objects */
export async function startSender(spec: SenderSpec, objects: readonly string[]): Promise<FakeSender> {
  const state: SenderState = { notes: new Map(objects.map((id) => [id, []])), changes: [] };
  const routes = spec.routes(state);
  const server = createServer(async (request, response) => {
    if (fake.isAway) return void request.socket.destroy();
    const body = await read(request);
    const { method = '', url: written = '', headers } = request;
    fake.requests.push({ method, url: written, headers, body });
    const url = new URL(written, 'http://sender');
    const found = routes.find((route) => route.method === method && route.path.test(url.pathname));
    const answer = (status: number, content: unknown = {}, more: Record<string, string> = {}) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...more })
        .end(JSON.stringify(content));
    const violation = violationOf(spec, found, { url, headers, body });
    if (violation !== null) {
      fake.violations.push(`${method} ${url.pathname}: ${violation}`);
      return answer(400);
    }
    if (fake.refusesAll || !isAuthorized(spec, headers))
      return spec.unauthorized === undefined ? answer(401) : answer(200, spec.unauthorized);
    const reaction = found!.isNote && isNote(found!, body) ? fake.reactions.shift() : undefined;
    if (reaction === 'ignore') return;
    if (typeof reaction === 'object') return answer(reaction.status, {}, reaction.headers);
    const params = found!.path.exec(url.pathname)!.slice(1).map(decodeURIComponent);
    const parsed = body === '' ? null : JSON.parse(body);
    const { status, body: content } = found!.answer({
      params,
      query: url.searchParams,
      body: parsed as never,
    });
    if (reaction === undefined) answer(status, content);
    else if (reaction === 'drop') request.socket.destroy();
    return;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const fake: FakeSender = {
    ...state,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reactions: [],
    isAway: false,
    refusesAll: false,
    violations: [],
    requests: [],
    async holds(count) {
      const stored = () => [...state.notes.values()].flat().length;
      await expect.poll(stored, { timeout: 30_000 }).toBe(count);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return fake;
}

/** True if the request writes a note. Zabbix has one path for everything. */
function isNote({ path }: Route, body: string): boolean {
  return !path.test('/api_jsonrpc.php') || body.includes('"message":');
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function isAuthorized(spec: SenderSpec, headers: IncomingHttpHeaders): boolean {
  return Object.entries(spec.headers).every(([name, value]) => headers[name] === value);
}

function violationOf(
  spec: SenderSpec,
  route: Route | undefined,
  { url, headers, body }: { url: URL; headers: IncomingHttpHeaders; body: string },
): string | null {
  if (route === undefined) return 'no such operation';
  const unknown = [...url.searchParams.keys()].find((name) => !spec.query?.includes(name));
  if (unknown !== undefined) return `unknown query parameter ${unknown}`;
  if (route.body === undefined) return body === '' ? null : 'has a body';
  if (headers['content-type'] !== (spec.contentType ?? 'application/json'))
    return `content type ${headers['content-type']}`;
  const parsed = route.body.safeParse(JSON.parse(body));
  return parsed.success ? null : parsed.error.message;
}
