import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Api, openApi } from '../../test/helpers/http-api.ts';
import { SUBMIT } from '../../test/helpers/raw-http.ts';

let api: Api;
beforeAll(async () => {
  api = await openApi({
    submitAlert: async () => {
      await Promise.resolve();
      throw new Error('boom');
    },
  });
});
afterAll(() => api.close());

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const VARIABLES = { input: { data: 'x' } };

async function idOf(headers: Record<string, string>): Promise<string | null> {
  return (await fetch(`${api.url}/health`, { headers })).headers.get('x-request-id');
}

it.each(['7b3f', 'Root=1-67891233-abcdef012345678912345678', 'a'.repeat(128), '9c1b2f8e-1.2:3/4+5_6'])(
  'keeps the id that the client sent: %s',
  async (id) => {
    expect(await idOf({ 'x-request-id': id })).toBe(id);
  },
);

it.each(['', ' ', 'a b', 'a,b', '{"level":60}', 'a'.repeat(129), 'ä'])(
  'creates a new id for an invalid one: %s',
  async (id) => {
    expect(await idOf({ 'x-request-id': id })).toMatch(UUID);
  },
);

it('uses one id in the answer, in its errors and in the log', async () => {
  const sent = ['first-id', 'second-id'].map(async (id) => {
    const response = await fetch(`${api.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-request-id': id },
      body: JSON.stringify({ query: SUBMIT, variables: VARIABLES }),
    });
    expect(response.headers.get('x-request-id')).toBe(id);
    expect(await response.json()).toMatchObject({
      errors: [{ extensions: { code: 'INTERNAL', correlationId: id } }],
    });
    await expect
      .poll(() => api.logs.filter(({ correlationId }) => correlationId === id).map(({ msg }) => msg))
      .toEqual(['API error', 'request']);
  });
  await Promise.all(sent);
});

it('uses the id of the upgrade for everything that comes over a WebSocket', async () => {
  let answered: unknown;
  class TracedWebSocket extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols, { headers: { 'x-request-id': 'socket-7' } });
      this.on('upgrade', ({ headers }) => {
        answered = headers['x-request-id'];
      });
    }
  }
  const client = createClient({ url: api.wsUrl, webSocketImpl: TracedWebSocket, retryAttempts: 0 });
  const { value } = await client.iterate({ query: SUBMIT, variables: VARIABLES }).next();
  await client.dispose();
  expect(answered).toBe('socket-7');
  expect(value).toMatchObject({ errors: [{ extensions: { correlationId: 'socket-7' } }] });
});

it('sends the id with the refusal of a WebSocket', async () => {
  const socket = new WebSocket(`${api.wsUrl}/none`, { headers: { 'x-request-id': 'refused-1' } });
  const { promise, resolve } = Promise.withResolvers<unknown>();
  socket.on('unexpected-response', (_request, { headers }) => resolve(headers['x-request-id']));
  socket.on('error', () => {});
  expect(await promise).toBe('refused-1');
  socket.terminate();
});
