import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { openEventStream } from './event-stream.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** Subscribes at a server that answers with `answer`. Resolves with everything reported, once the stream is over. */
async function follow(
  answer: (res: ServerResponse, body: string) => Promise<void> | void,
  seen: unknown[] = [],
): Promise<unknown[]> {
  const server = createServer(async (req, res) => {
    const body = Buffer.concat(await req.toArray()).toString();
    await answer(res, body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const over = Promise.withResolvers<void>();
  const end = (what: unknown): void => {
    seen.push(what);
    over.resolve();
  };
  const stop = openEventStream({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    fetch: globalThis.fetch,
    payload: { query: 'subscription { ticks }', variables: { after: null } },
    sink: {
      next: ({ data }) => seen.push(data),
      error: (error) => end({ error }),
      complete: () => end('complete'),
    },
    onBroken: () => end('broken'),
  });
  closers.push(
    stop,
    () => server.closeAllConnections(),
    () => server.close(),
  );
  await over.promise;
  return seen;
}

const begin = (res: ServerResponse) => res.writeHead(200, { 'content-type': 'text/event-stream' });
const next = (result: object) => `event: next\ndata: ${JSON.stringify(result)}\n\n`;
const errors = [{ message: 'gone', extensions: { code: 'NOT_FOUND' } }];

it('passes on results, however their bytes are cut, until the server completes', async () => {
  const seen = await follow(async (res, body) => {
    expect(JSON.parse(body)).toEqual({ query: 'subscription { ticks }', variables: { after: null } });
    const text = `retry: 1000\n\n:\n\nid: c1\n${next({ data: { ticks: 'é' } })}${next({ data: { ticks: 2 } })}event: complete\ndata:\n\n`;
    begin(res);
    for (const byte of Buffer.from(text)) {
      res.write(Buffer.of(byte));
      await new Promise(setImmediate);
    }
  });
  expect(seen).toEqual([{ ticks: 'é' }, { ticks: 2 }, 'complete']);
});

it('reports the error with which the server ends a subscription', async () => {
  const seen = await follow(
    (res) => void begin(res).end(`${next({ data: { ticks: 1 } })}${next({ errors })}`),
  );
  expect(seen).toEqual([{ ticks: 1 }, { error: errors }]);
});

it('reports the error with which the server refuses a request', async () => {
  const seen = await follow(
    (res) => void res.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ errors })),
  );
  expect(seen).toEqual([{ error: errors }]);
});

it.each<[string, (res: ServerResponse) => void]>([
  ['a stream that ends without completion', (res) => begin(res).end(next({ data: { ticks: 1 } }))],
  ['a lost connection', (res) => void res.destroy()],
  ['an overloaded server', (res) => res.writeHead(503).end('{"errors":[{"message":"busy"}]}')],
  ['too many connections', (res) => res.writeHead(429).end('{"errors":[{"message":"too many"}]}')],
  [
    'an error page of a proxy',
    (res) => res.writeHead(404, { 'content-type': 'text/html' }).end('<h1>404</h1>'),
  ],
])('reports %s as broken', async (_what, answer) => {
  expect((await follow(answer)).at(-1)).toBe('broken');
});

it('passes on a result with errors and data, and continues', async () => {
  const seen = await follow(
    (res) => void begin(res).end(`${next({ errors, data: { ticks: 1 } })}event: complete\ndata:\n\n`),
  );
  expect(seen).toEqual([{ ticks: 1 }, 'complete']);
});

it('closes the connection after an error, although the server keeps it open', async () => {
  const closed = Promise.withResolvers<void>();
  const seen = await follow((res) => {
    res.on('close', closed.resolve);
    begin(res).write(next({ errors }));
  });
  expect(seen).toEqual([{ error: errors }]);
  await closed.promise;
});

it.each<[string, (res: ServerResponse) => void, unknown[]]>([
  ['a stream', (res) => begin(res).write(next({ data: { ticks: 1 } })), [{ ticks: 1 }]],
  ['a request without an answer', () => {}, []],
])('reports %s as broken after 30 s of silence, and closes it', async (_what, answer, first) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  closers.push(() => vi.useRealTimers());
  const [received, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const seen: unknown[] = [];
  const over = follow((res) => {
    res.on('close', closed.resolve);
    answer(res);
    received.resolve();
  }, seen);
  await received.promise;
  while (seen.length < first.length) await new Promise(setImmediate); // waits in real time
  vi.advanceTimersByTime(30_000);
  expect(await over).toEqual([...first, 'broken']);
  await closed.promise;
});

it('reports no break when it is stopped while it waits', async () => {
  const closed = Promise.withResolvers<void>();
  const seen: unknown[] = [];
  void follow((res) => {
    res.on('close', closed.resolve);
    begin(res).write(next({ data: { ticks: 1 } }));
  }, seen);
  await expect.poll(() => seen).toEqual([{ ticks: 1 }]);
  closers[0]!();
  await closed.promise;
  await new Promise(setImmediate);
  expect(seen).toEqual([{ ticks: 1 }]);
});

it('reports nothing once it is stopped', async () => {
  const closed = Promise.withResolvers<void>();
  const server = createServer((_req, res) => {
    res.on('close', closed.resolve);
    begin(res).write(next({ data: { ticks: 1 } }) + next({ data: { ticks: 2 } }));
  }).listen(0, '127.0.0.1');
  closers.push(() => server.close());
  await once(server, 'listening');
  const seen: unknown[] = [];
  const stop = openEventStream({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    fetch: globalThis.fetch,
    payload: { query: 'subscription { ticks }' },
    sink: {
      next: ({ data }) => {
        seen.push(data);
        stop();
      },
      error: (error) => void seen.push({ error }),
      complete: () => void seen.push('complete'),
    },
    onBroken: () => void seen.push('broken'),
  });
  await closed.promise;
  await new Promise(setImmediate);
  expect(seen).toEqual([{ ticks: 1 }]);
});
