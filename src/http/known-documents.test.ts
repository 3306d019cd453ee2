import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Api, NO_AUTH, openApi } from '../../test/helpers/http-api.ts';
import { rightsOfRole } from '../access/rights.ts';
import { createTokens } from '../access/tokens.ts';
import { UNNAMED } from '../access/viewer.ts';
import { createTransaction } from '../engine/store/database.ts';
import { knownDocuments, readKnownDocuments } from './known-documents.ts';

const KNOWN = 'query Types { alertTypes { name } }';
const UNKNOWN = 'query Other { alertTypes { name description } }';

describe('a server that answers known documents only', () => {
  let api: Api;
  let admin: string;
  beforeAll(async () => {
    api = await openApi({}, { auth: { ...NO_AUTH }, documents: knownDocuments([KNOWN]) });
    admin = await secretOf('ADMIN');
  });
  afterAll(() => api.close());

  async function send(body: object, token?: string) {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(`${api.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization },
      body: JSON.stringify(body),
    });
    const { data, errors } = (await response.json()) as {
      data?: object;
      errors?: { extensions: { code: string } }[];
    };
    return { data, code: errors?.[0]?.extensions.code };
  }

  async function secretOf(scope: 'ADMIN' | 'READ'): Promise<string> {
    const transaction = createTransaction(api.pool, { publish: async () => {} });
    const tokens = createTokens({ db: api.pool, transaction, teams: null, logger: api.logger });
    const by = { ...UNNAMED, via: 'NONE', role: 'ADMIN', teams: null, approves: [] } as const;
    const rights = rightsOfRole('ADMIN');
    const wanted = { name: scope, scopes: [scope], team: null, expiresAt: null, isService: true };
    return (await tokens.create(wanted, { ...by, rights })).secret;
  }

  it.each([
    ['as it is', KNOWN],
    ['in another formatting', 'query Types{alertTypes{name}}'],
    ['with the __typename that clients add', 'query Types { alertTypes { __typename name } __typename }'],
  ])('answers a known document %s', async (_how, query) => {
    expect(await send({ query })).toMatchObject({
      data: { alertTypes: [{ name: 'kubernetes' }, { name: 'host' }] },
    });
  });

  it('answers the hash of a known document', async () => {
    const sha256Hash = createHash('sha256').update(KNOWN).digest('hex');
    const extensions = { persistedQuery: { version: 1, sha256Hash } };
    expect((await send({ extensions })).data).toBeDefined();
    const other = { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } };
    expect(await send({ extensions: other })).toMatchObject({ code: 'PERSISTED_QUERY_NOT_SUPPORTED' });
  });

  it.each([
    ['a further field', UNKNOWN],
    ['an alias', 'query Types { alertTypes { title: name } }'],
    ['another name', 'query Typos { alertTypes { name } }'],
    ['a directive', 'query Types { alertTypes { name @skip(if: false) } }'],
    ['a second operation', `${KNOWN} query More { alertTypes { name } }`],
    ['an unknown field, without telling so', '{ nonsense }'],
    ['the schema', '{ __schema { types { name } } }'],
    ['only __typename', '{ __typename }'],
  ])('refuses a document with %s', async (_what, query) => {
    const operationName = /^query (\w+)/.exec(query)?.[1];
    expect(await send({ query, operationName })).toEqual({ code: 'DOCUMENT_NOT_KNOWN' });
  });

  it('answers every document of a token with the scope ADMIN, validated, and of no other token', async () => {
    expect((await send({ query: UNKNOWN }, admin)).data).toBeDefined();
    expect(await send({ query: '{ nonsense }' }, admin)).toMatchObject({ code: 'GRAPHQL_VALIDATION_FAILED' });
    expect(await send({ query: UNKNOWN }, await secretOf('READ'))).toEqual({ code: 'DOCUMENT_NOT_KNOWN' });
  });
});

describe('the list of known documents', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tarsy-documents-'));
    await mkdir(join(folder, 'documents'));
    await writeFile(join(folder, 'documents.json'), JSON.stringify([KNOWN]));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const read = () => readKnownDocuments(folder, join(folder, 'documents'));
  const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

  it('has the documents of the dashboard and of the files', async () => {
    await writeFile(join(folder, 'documents', 'other.graphql'), UNKNOWN);
    await writeFile(join(folder, 'documents', 'readme.md'), 'no document {');
    const known = await read();
    expect([KNOWN, UNKNOWN].map((text) => known.textOf(hashOf(text)))).toEqual([KNOWN, UNKNOWN]);
  });

  it('needs no folder', async () => {
    await rm(join(folder, 'documents'), { recursive: true });
    expect((await read()).textOf(hashOf(KNOWN))).toBe(KNOWN);
  });

  it('names a file that is wrong or missing', async () => {
    await writeFile(join(folder, 'documents', 'broken.graphql'), 'query {');
    await expect(read()).rejects.toThrow(/broken\.graphql: Syntax Error/);
    await rm(join(folder, 'documents.json'));
    await expect(read()).rejects.toThrow(/documents\.json/);
  });
});
