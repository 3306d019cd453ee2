import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, fetchExchange } from 'urql';
import { afterEach, expect, it } from 'vitest';
import { RefusedError, requestOnce } from './request.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** Sends one query to a server that answers with `answer`. */
async function request(answer: (res: ServerResponse) => void, signal?: AbortSignal): Promise<unknown> {
  const server = createServer((_req, res) => answer(res)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
  const client = new Client({ url, exchanges: [fetchExchange], preferGetMethod: false });
  return requestOnce(client, '{ viewer { name } }' as never, {}, signal);
}

const json = (status: number, body: object) => (res: ServerResponse) =>
  void res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const errors = [{ message: 'No such' }, { message: 'session.' }];

it('returns the data', async () => {
  expect(await request(json(200, { data: { viewer: { name: 'ana' } } }))).toEqual({
    viewer: { name: 'ana' },
  });
});

it('rejects as refused what the server refuses', async () => {
  const refused = request(json(200, { errors }));
  await expect(refused).rejects.toThrow(RefusedError);
  await expect(refused).rejects.toThrow('No such session.');
});

it.each<[string, (res: ServerResponse) => void]>([
  ['an overloaded server', json(503, { errors })],
  ['an answer without data', json(200, { data: null })],
  ['a lost connection', (res) => void res.destroy()],
])('rejects so that a retry can help after %s', async (_what, answer) => {
  const error = await request(answer).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(RefusedError);
});

it('rejects with the reason when it is aborted', async () => {
  const controller = new AbortController();
  const asked = request(() => controller.abort(new Error('left the page')), controller.signal);
  await expect(asked).rejects.toThrow('left the page');
});
