import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Api, insertSession, openApi } from '../../test/helpers/http-api.ts';
import {
  get,
  graphql,
  JSON_HEADERS,
  post,
  type RawRequest,
  SUBMIT,
  sendUnchanged,
} from '../../test/helpers/raw-http.ts';
import { feedEngine } from '../../test/helpers/session-feed.ts';
import { readEvents } from '../../test/helpers/sse.ts';
import { ValidationError } from '../common/errors.ts';

const ALERT_TYPES = '{ alertTypes { name } }';
const NAMES = { alertTypes: [{ name: 'kubernetes' }, { name: 'host' }] };
const HASH = '0'.repeat(64);
const PERSISTED = { persistedQuery: { version: 1, sha256Hash: HASH } };
/** The Accept headers of Apollo Client 4, @urql/core 6 and clients that accept plain JSON alone. */
const APOLLO_ACCEPT = 'application/graphql-response+json,application/json;q=0.9';
const URQL_ACCEPT =
  'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed';
const APOLLO_SUBSCRIPTION_ACCEPT = `multipart/mixed;boundary="graphql";subscriptionSpec=1.0,${APOLLO_ACCEPT}`;

let api: Api;
const submitted: string[] = [];
beforeAll(async () => {
  api = await openApi({
    async submitAlert({ data }) {
      submitted.push(data);
      throw new ValidationError('seen');
    },
    subscribeSessions: () => feedEngine.subscribeSessions!(),
  });
  await insertSession(api.pool);
});
afterAll(() => api.close());

async function answerOf(sent: RawRequest, headers: Record<string, string> = {}) {
  const request = { ...sent, headers: { ...sent.headers, ...headers } };
  const { status, body } = await sendUnchanged(api.port, request);
  return { status, ...JSON.parse(body) };
}

describe('a persisted query', () => {
  const notSupported = {
    errors: [
      { message: 'PersistedQueryNotSupported', extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } },
    ],
  };

  it.each([
    ['Apollo Client', APOLLO_ACCEPT, 400],
    ['urql', URQL_ACCEPT, 400],
    ['a client of plain JSON', 'application/json', 200],
    ['a client of anything', '*/*', 200],
  ])('makes %s send the whole document', async (_client, accept, status) => {
    const byPost = post(JSON.stringify({ operationName: 'Q', variables: {}, extensions: PERSISTED }));
    const byGet = get({ operationName: 'Q', variables: '{}', extensions: JSON.stringify(PERSISTED) });
    const withEmptyQuery = graphql('', {}, { extensions: PERSISTED });
    for (const sent of [byPost, byGet, withEmptyQuery]) {
      expect(await answerOf(sent, { accept })).toEqual({ status, ...notSupported });
    }
  });

  it('is answered when the document comes with the hash', async () => {
    expect(await answerOf(graphql(ALERT_TYPES, {}, { extensions: PERSISTED }))).toMatchObject({
      data: NAMES,
    });
  });
});

describe('an empty operation name', () => {
  const named = `query Only ${ALERT_TYPES}`;

  it.each([
    ['POST', graphql(named, {}, { operationName: '' })],
    ['GET', get({ query: named, operationName: '' })],
  ])('is as good as none by %s', async (_method, sent) => {
    expect(await answerOf(sent)).toEqual({ status: 200, data: NAMES });
  });

  it('is as good as none in an event stream', async () => {
    const abort = new AbortController();
    const query = 'subscription Changes { sessionsChanged { session { status } } }';
    const response = await fetch(`${api.url}/graphql`, {
      method: 'POST',
      headers: { ...JSON_HEADERS, accept: 'text/event-stream' },
      body: JSON.stringify({ query, operationName: '' }),
      signal: abort.signal,
    });
    const { value } = await readEvents(response).next();
    expect(JSON.parse(value!.data)).toEqual({
      data: { sessionsChanged: { session: { status: 'IN_PROGRESS' } } },
    });
    abort.abort();
  });

  it('is as good as none over WebSocket', async () => {
    const client = createClient({ url: api.wsUrl, webSocketImpl: WebSocket, retryAttempts: 0 });
    const results = client.iterate({ query: named, operationName: '', variables: null, extensions: null });
    expect((await results.next()).value).toEqual({ data: NAMES });
    await client.dispose();
  });
});

describe('a body', () => {
  const body = JSON.stringify({ query: ALERT_TYPES, variables: null, operationName: null, extensions: null });

  it.each([
    'application/json; charset=utf8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'APPLICATION/JSON ; Charset=Utf-8;',
    'application/json; profile=x',
  ])('is taken as %s', async (type) => {
    expect(await answerOf(post(body, { 'content-type': type }))).toEqual({ status: 200, data: NAMES });
  });

  it('is refused in another charset, which the error names', async () => {
    const answer = await answerOf(post(body, { 'content-type': 'application/json; charset=latin1' }));
    expect(answer).toMatchObject({
      status: 415,
      errors: [{ extensions: { code: 'UNSUPPORTED_MEDIA_TYPE' } }],
    });
    expect(answer.errors[0].message).toContain('latin1');
  });

  it.each([
    ['with', {}],
    ['without', { 'transfer-encoding': 'chunked' }],
  ])('may begin with a byte order mark, %s a length', async (_with, headers) => {
    expect(await answerOf(post(`\ufeff${body}`, headers))).toEqual({ status: 200, data: NAMES });
  });

  it.each([
    ['no query', '{"qeury":"{ __typename }"}', 'contains no `query`'],
    ['a query of null', '{"query":null}', 'contains no `query`'],
    ['no JSON', '{"query":', 'is not JSON'],
    [
      'variables as a JSON text',
      '{"query":"{ __typename }","variables":"{}"}',
      '"variables" param to be empty or an object',
    ],
    ['a batch', '[{"query":"{ __typename }"}]', 'Batching is not supported'],
  ])('with %s is refused by 400 and says why', async (_what, sent, message) => {
    for (const accept of ['application/json', APOLLO_ACCEPT]) {
      const answer = await answerOf(post(sent), { accept });
      expect(answer).toMatchObject({ status: 400, errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
      expect(answer.errors[0].message).toContain(message);
    }
  });
});

describe('a client that accepts no answer of ours', () => {
  it.each(['image/png', 'multipart/mixed;boundary=graphql;subscriptionSpec=1.0'])(
    'is told so before its mutation runs: %s',
    async (accept) => {
      const before = submitted.length;
      const answer = await answerOf(graphql(SUBMIT, { input: { data: 'disk full' } }), { accept });
      expect(answer).toMatchObject({ status: 406, errors: [{ extensions: { code: 'NOT_ACCEPTABLE' } }] });
      expect(submitted.length).toBe(before);
    },
  );

  it('learns what to use instead of a multipart subscription', async () => {
    const sent = graphql('subscription { sessionsChanged { session { id } } }');
    const answer = await answerOf(sent, { accept: APOLLO_SUBSCRIPTION_ACCEPT });
    expect(answer).toMatchObject({ status: 406, errors: [{ extensions: { code: 'NOT_ACCEPTABLE' } }] });
    expect(answer.errors[0].message).toMatch(/text\/event-stream.*WebSocket/);
  });

  it('learns that an event stream serves one operation', async () => {
    const answer = await answerOf({ method: 'PUT' });
    expect(answer).toMatchObject({ status: 405, errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
    expect(answer.errors[0].message).toContain('singleConnection: false');
  });
});
