import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, insertSession, openApi } from '../../test/helpers/http-api.ts';
import {
  get,
  graphql,
  JSON_HEADERS,
  nested,
  post,
  type RawRequest,
  SUBMIT,
  sendUnchanged,
} from '../../test/helpers/raw-http.ts';
import { feedEngine } from '../../test/helpers/session-feed.ts';
import { ValidationError } from '../common/errors.ts';
import { MAX_REQUEST_BYTES } from './tunables.ts';

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
  await writeFile(join(api.dashboardDir, 'index.html'), '<!doctype html>dashboard');
});
afterAll(() => api.close());

/** Requests, each with the code of the expected error. */
const REFUSED: [string, RawRequest, string][] = [
  ['no JSON', post('nonsense'), 'BAD_REQUEST'],
  ['an empty body', post(''), 'BAD_REQUEST'],
  ['half a JSON text', post('{"query":"{ alertTypes'), 'BAD_REQUEST'],
  ['JSON with a bad escape', post('{"query":"\\ud8"}'), 'BAD_REQUEST'],
  ['a JSON number', post('1'), 'BAD_REQUEST'],
  ['a JSON text', post('"x"'), 'BAD_REQUEST'],
  ['JSON null', post('null'), 'BAD_REQUEST'],
  ['a batch', post('[{"query":"{ alertTypes { name } }"}]'), 'BAD_REQUEST'],
  ['an empty batch', post('[]'), 'BAD_REQUEST'],
  ['deeply nested JSON', post(nested('[', 500_000, ']')), 'BAD_REQUEST'],
  [
    'a deeply nested query value',
    post(`{"query":${nested('{"a":', 100_000)}1${'}'.repeat(100_000)}}`),
    'BAD_REQUEST',
  ],
  ['no query', post('{}'), 'BAD_REQUEST'],
  ['a query of null', graphql(null), 'BAD_REQUEST'],
  ['a query that is a number', graphql(5), 'BAD_REQUEST'],
  ['a query that is a list', graphql(['{ alertTypes { name } }']), 'BAD_REQUEST'],
  ['variables that are a list', graphql('{ alertTypes { name } }', [1]), 'BAD_REQUEST'],
  ['variables that are a text', graphql('{ alertTypes { name } }', 'x'), 'BAD_REQUEST'],
  ['a parameter of no kind', graphql('{ alertTypes { name } }', {}, { extra: 1 }), 'BAD_REQUEST'],
  [
    'form data',
    post('query=1', { 'content-type': 'application/x-www-form-urlencoded' }),
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  [
    'plain text',
    post('{"query":"{ alertTypes { name } }"}', { 'content-type': 'text/plain' }),
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  [
    'multipart',
    post('--x--', { 'content-type': 'multipart/form-data; boundary=x' }),
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  [
    'bare GraphQL',
    post('{ alertTypes { name } }', { 'content-type': 'application/graphql' }),
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  [
    'two content types',
    post('{}', { 'content-type': 'application/json, text/plain' }),
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  [
    'another character set',
    post('{}', { 'content-type': 'application/json; charset=utf-16' }),
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  ['a compressed body', post(gzipSync('{}'), { 'content-encoding': 'gzip' }), 'UNSUPPORTED_MEDIA_TYPE'],
  ['no content type', { method: 'POST', body: '{}' }, 'UNSUPPORTED_MEDIA_TYPE'],
  ['a body that is too large', post(Buffer.alloc(MAX_REQUEST_BYTES + 1, 32)), 'REQUEST_ENTITY_TOO_LARGE'],
  [
    'one that does not say its length',
    post(Buffer.alloc(MAX_REQUEST_BYTES + 1, 32), { 'transfer-encoding': 'chunked' }),
    'REQUEST_ENTITY_TOO_LARGE',
  ],
  ['another method', { method: 'PUT', headers: JSON_HEADERS, body: '{}' }, 'BAD_REQUEST'],
  ['DELETE', { method: 'DELETE' }, 'BAD_REQUEST'],
  ['PATCH', { method: 'PATCH', headers: JSON_HEADERS, body: '{}' }, 'BAD_REQUEST'],
  ['GET without a query', {}, 'BAD_REQUEST'],
  ['a mutation by GET', get({ query: 'mutation { cancelSession(id: "x") { __typename } }' }), 'BAD_REQUEST'],
  [
    'GET with variables that are no JSON',
    get({ query: '{ alertTypes { name } }', variables: '{' }),
    'BAD_REQUEST',
  ],
  [
    'GET with variables that are no object',
    get({ query: '{ alertTypes { name } }', variables: '1' }),
    'BAD_REQUEST',
  ],
  ['a document that is empty', graphql(''), 'GRAPHQL_PARSE_FAILED'],
  ['a document that does not end', graphql('{ alertTypes {'), 'GRAPHQL_PARSE_FAILED'],
  ['a document with NUL', graphql('{ alertTypes \0 }'), 'GRAPHQL_PARSE_FAILED'],
  ['a document with a lone surrogate', graphql('{ alertTypes \ud800 }'), 'GRAPHQL_PARSE_FAILED'],
  ['a document nested too deep', graphql(nested('{a', 10_000, '}')), 'DOCUMENT_TOO_LARGE'],
  [
    'a value nested too deep',
    graphql(`{ session(id: ${nested('[', 10_000, ']')}) { id } }`),
    'DOCUMENT_TOO_LARGE',
  ],
  [
    'a type nested too deep',
    graphql(`query ($a: ${nested('[', 10_000)}Int${']'.repeat(10_000)}) { alertTypes { name } }`),
    'DOCUMENT_TOO_LARGE',
  ],
  [
    'a document that is too long',
    graphql(`{ ${'a: alertTypes { name } '.repeat(5000)} }`),
    'DOCUMENT_TOO_LARGE',
  ],
  ['a field that is none', graphql('{ nothing }'), 'GRAPHQL_VALIDATION_FAILED'],
  [
    'a fragment that holds itself',
    graphql('{ ...a } fragment a on Query { ...a }'),
    'GRAPHQL_VALIDATION_FAILED',
  ],
  ['an argument of a wrong type', graphql('{ session(id: {a: 1}) { id } }'), 'GRAPHQL_VALIDATION_FAILED'],
  [
    'an enum value that is none',
    graphql('{ sessions(filter: {status: [GONE]}) { totalCount } }'),
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    'a moment that is none',
    graphql('{ sessions(filter: {createdAfter: "today"}) { totalCount } }'),
    'BAD_USER_INPUT',
  ],
  [
    'an operation that is not there',
    graphql('query A { alertTypes { name } }', {}, { operationName: 'B' }),
    'OPERATION_RESOLUTION_FAILURE',
  ],
  [
    'one operation of two',
    graphql('query A { alertTypes { name } } query B { alertTypes { name } }'),
    'OPERATION_RESOLUTION_FAILURE',
  ],
  ['no operation', graphql('fragment a on Query { alertTypes { name } }'), 'OPERATION_RESOLUTION_FAILURE'],
  ['a variable that is missing', graphql(SUBMIT), 'BAD_USER_INPUT'],
  ['a variable of null', graphql(SUBMIT, { input: null }), 'BAD_USER_INPUT'],
  ['a variable of a wrong type', graphql(SUBMIT, { input: 'x' }), 'BAD_USER_INPUT'],
  ['alert data that is a number', graphql(SUBMIT, { input: { data: 1 } }), 'BAD_USER_INPUT'],
  ['a field of the input that is none', graphql(SUBMIT, { input: { data: 'x', more: 1 } }), 'BAD_USER_INPUT'],
  [
    'tools that are no texts',
    graphql(SUBMIT, { input: { data: 'x', mcp: { servers: [{ name: 'a', tools: [1] }] } } }),
    'BAD_USER_INPUT',
  ],
  [
    'a variable nested deep',
    post(
      `{"query":${JSON.stringify(SUBMIT)},"variables":{"input":${nested('{"data":', 50_000)}1${'}'.repeat(50_000)}}}`,
    ),
    'BAD_USER_INPUT',
  ],
  [
    'a number beyond Int',
    graphql('query ($n: Int) { sessions(first: $n) { totalCount } }', { n: 1e300 }),
    'BAD_USER_INPUT',
  ],
  [
    'a moment variable that is none',
    graphql('query ($d: DateTime) { sessions(filter: {createdAfter: $d}) { totalCount } }', {
      d: '2026-02-30',
    }),
    'BAD_USER_INPUT',
  ],
  [
    'thousands of wrong values',
    graphql('query ($f: SessionFilter) { sessions(filter: $f) { totalCount } }', {
      f: { author: Array.from({ length: 50_000 }, () => 1) },
    }),
    'BAD_USER_INPUT',
  ],
];

describe('over HTTP', () => {
  it.each(REFUSED)('%s is refused with a code', async (_what, sent, code) => {
    const { status, body } = await sendUnchanged(api.port, sent);
    expect(status, body).toBeLessThan(500);
    const errors: { extensions: { code: string } }[] = JSON.parse(body).errors;
    expect(new Set(errors.map((error) => error.extensions.code))).toEqual(new Set([code]));
  });

  it.each<[string, RawRequest, number]>([
    [
      'a subscription without a stream',
      {
        ...graphql('subscription { sessionsChanged { session { id } } }'),
        headers: { ...JSON_HEADERS, accept: 'application/json' },
      },
      406,
    ],
    [
      'a media type that we have not',
      { ...graphql('{ alertTypes { name } }'), headers: { ...JSON_HEADERS, accept: 'image/png' } },
      406,
    ],
    ['a target that is no path', { path: '*' }, 400],
    ['a target of two slashes', { path: '//evil.example/health' }, 400],
    ['a target with a bad escape', { path: '/%E0%A4%A' }, 400],
    ['a Host that is none', { headers: { host: '[evil' } }, 400],
    ['a Host with a space', { headers: { host: 'a b' } }, 400],
    ['a path out of the dashboard', { path: '/../../package.json' }, 404],
    ['an escaped path out of the dashboard', { path: '/%2e%2e%2f%2e%2e%2fpackage.json' }, 404],
    ['a path with NUL', { path: '/a%00b.js' }, 404],
    ['a POST to the dashboard', { method: 'POST', path: '/', body: 'x' }, 405],
    [
      'OPTIONS from a page',
      {
        method: 'OPTIONS',
        headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
      },
      403,
    ],
  ])('%s has its status', async (_what, sent, status) => {
    expect((await sendUnchanged(api.port, sent)).status).toBe(status);
  });

  it('passes text to the engine unchanged, lone surrogates and NUL included', async () => {
    const data = ['', '\0', '\ud800', 'a\udfffb', '\u2028', '😀'];
    const before = submitted.length;
    for (const text of data) {
      const answer = await api.query(SUBMIT, { input: { data: text } });
      expect(answer).toMatchObject({ status: 200, data: { submitAlert: { __typename: 'ValidationError' } } });
    }
    expect(submitted.slice(before)).toEqual(data);
  });

  it('accepts a document with an alert of 1 MiB that is escaped at twice its length', async () => {
    const data = '"\n'.repeat(512 * 1024);
    expect((await api.query(SUBMIT, { input: { data } })).data).toEqual({
      submitAlert: { __typename: 'ValidationError' },
    });
    expect(submitted.at(-1)).toHaveLength(1024 * 1024);
  });
});

it('still serves after all of that, without unknown errors', async () => {
  expect((await api.query('{ alertTypes { name } }')).data).toEqual({
    alertTypes: [{ name: 'kubernetes' }, { name: 'host' }],
  });
  expect(api.logs.filter(({ level }) => Number(level) >= 50)).toEqual([]);
});
