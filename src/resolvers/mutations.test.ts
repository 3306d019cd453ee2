import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, globalId, insertSession, openApi } from '../../test/helpers/http-api.ts';
import {
  AlertTooLargeError,
  ConflictError,
  NotFoundError,
  ShuttingDownError,
  ValidationError,
} from '../common/errors.ts';
import type { AlertSessionRow } from '../db/entities/index.ts';
import type { SubmitAlertInput } from '../engine/api/engine.ts';

let api: Api;
let fail: Error | null = null;
const submitted: { input: SubmitAlertInput; author: string }[] = [];
const cancelled: string[] = [];

beforeAll(async () => {
  api = await openApi({
    async submitAlert(input, { name: author }) {
      if (fail) throw fail;
      submitted.push({ input, author });
      const session = await row(await insertSession(api.pool, { alert_data: input.data, author }));
      return { ...session, notes: [] };
    },
    async cancelSession(id) {
      if (fail) throw fail;
      cancelled.push(id);
      return row(id);
    },
  });
});
afterAll(() => api.close());

async function row(id: string): Promise<AlertSessionRow> {
  const { rows } = await api.pool.query('select id, status, author from alert_sessions where id = $1', [id]);
  return rows[0];
}

const SUBMIT = `mutation ($input: SubmitAlertInput!) { submitAlert(input: $input) { __typename
  ... on SubmitAlertSuccess { session { status author alertData } }
  ... on Error { code message }
  ... on ValidationError { field }
  ... on AlertTooLargeError { maxBytes actualBytes } } }`;
const CANCEL = `mutation ($id: ID!) { cancelSession(id: $id) { __typename
  ... on CancelSessionSuccess { session { id } } ... on Error { code message } } }`;

describe('submitAlert', () => {
  it('passes the unchanged alert and its author to the engine, and returns the session', async () => {
    fail = null;
    const data = 'disk "full"\n\u2603 \ud83d\ude00';
    const answer = await api.query(SUBMIT, { input: { data } }, { 'x-forwarded-email': 'eve@example.com' });
    expect(answer.data).toEqual({
      submitAlert: {
        __typename: 'SubmitAlertSuccess',
        session: { status: 'PENDING', author: 'eve@example.com', alertData: data },
      },
    });
    expect(submitted.at(-1)).toEqual({
      input: {
        data,
        alertType: null,
        runbookUrl: null,
        mcp: null,
        slackMessageFingerprint: null,
        team: null,
      },
      author: 'eve@example.com',
    });
  });

  it('accepts every field; null tools mean all tools, an empty list none', async () => {
    fail = null;
    const input = {
      data: 'x',
      alertType: 'host',
      runbookUrl: 'https://example.com/r.md',
      slackMessageFingerprint: 'f',
      team: null,
      mcp: {
        servers: [{ name: 'a', tools: ['t'] }, { name: 'b', tools: [] }, { name: 'c' }],
        nativeTools: { googleSearch: true, codeExecution: null },
      },
    };
    await api.query(SUBMIT, { input });
    expect(submitted.at(-1)).toEqual({
      input: {
        ...input,
        mcp: {
          servers: [
            { name: 'a', tools: ['t'] },
            { name: 'b', tools: [] },
            { name: 'c', tools: null },
          ],
          nativeTools: { googleSearch: true },
        },
      },
      author: 'api-client',
    });
  });

  it.each([
    [new ValidationError('no such type', 'alertType'), { field: 'alertType' }],
    [new ValidationError('no', null), { field: null }],
    [new AlertTooLargeError(10, 11), { maxBytes: 10, actualBytes: 11 }],
    [new ShuttingDownError(), {}],
  ])('returns %s as a member of its result', async (error, more) => {
    fail = error;
    expect(await api.query(SUBMIT, { input: { data: 'x' } })).toMatchObject({
      status: 200,
      errors: undefined,
      data: { submitAlert: { __typename: error.name, code: error.code, message: error.message, ...more } },
    });
  });

  it('says that the same request may succeed later if the database is unavailable', async () => {
    fail = Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:5432'), { syscall: 'connect' });
    const { errors, status } = await api.query(SUBMIT, { input: { data: 'x' } });
    expect(status).toBe(503);
    expect(errors).toMatchObject([
      {
        path: ['submitAlert'],
        message: expect.stringContaining('Try again'),
        extensions: { code: 'DATABASE_UNAVAILABLE' },
      },
    ]);
    expect(JSON.stringify(errors)).not.toContain('10.0.0.7');
    const { correlationId } = errors![0]!.extensions;
    expect(api.logs.find((entry) => entry.correlationId === correlationId)).toBeDefined();
  });

  it('masks an undeclared error, and logs it with the id that the client receives', async () => {
    fail = new Error('password=hunter2');
    const { errors, status } = await api.query(SUBMIT, { input: { data: 'secret alert' } });
    expect(status).toBeLessThan(500);
    expect(errors).toHaveLength(1);
    expect(errors![0]).toMatchObject({
      message: 'Internal error',
      path: ['submitAlert'],
      extensions: { code: 'INTERNAL' },
    });
    expect(JSON.stringify(errors)).not.toContain('hunter2');
    const logged = api.logs.find((entry) => entry.correlationId === errors![0]!.extensions.correlationId);
    expect(logged).toMatchObject({ level: 50, err: { message: 'password=hunter2' } });
    expect(JSON.stringify(api.logs)).not.toContain('secret alert');
  });
});

describe('cancelSession', () => {
  it('accepts a UUID or a global id', async () => {
    fail = null;
    const id = await insertSession(api.pool);
    const success = {
      cancelSession: { __typename: 'CancelSessionSuccess', session: { id: globalId('Session', id) } },
    };
    expect((await api.query(CANCEL, { id })).data).toEqual(success);
    expect((await api.query(CANCEL, { id: globalId('Session', id) })).data).toEqual(success);
    expect(cancelled).toEqual([id, id]);
  });

  it.each(['', 'x', '\0', globalId('Stage', '00000000-0000-7000-8000-000000000000')])(
    'returns NotFoundError for the id %j without calling the engine',
    async (id) => {
      fail = new Error('asked');
      expect((await api.query(CANCEL, { id })).data).toMatchObject({
        cancelSession: { __typename: 'NotFoundError', code: 'NOT_FOUND' },
      });
    },
  );

  it.each([new NotFoundError('none'), new ConflictError('finished')])(
    'returns %s as its result',
    async (error) => {
      fail = error;
      const { data } = await api.query(CANCEL, { id: await insertSession(api.pool) });
      expect(data).toEqual({
        cancelSession: { __typename: error.name, code: error.code, message: error.message },
      });
    },
  );
});
