import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenCommand } from '../../src/start/token.ts';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { alertBody, connect } from '../helpers/deliveries.ts';

let app: TestApp;
let pool: ReturnType<typeof connect>;
beforeAll(async () => {
  app = await startTestApp({
    auth: { mode: 'proxy' },
    intake: { sources: { prod: { type: 'generic', api_tokens: true } } },
  });
  pool = connect(app.database.url);
});
afterAll(async () => {
  await pool.end();
  await app.stop();
});

/** What `npm run token` does on the server's machine. */
async function token(...args: string[]): Promise<{ code: number; out: string; said: string }> {
  const written = { out: '', said: '' };
  const io = {
    stdout: { write: (text: string) => (written.out += text) },
    stderr: { write: (text: string) => (written.said += text) },
  };
  const code = await tokenCommand(args, { DATABASE_URL: app.database.url, NODE_ENV: 'test' }, io);
  return { code, ...written };
}

async function make(scopes: string): Promise<string> {
  const { code, out } = await token('create', 'ci', '--scopes', scopes);
  expect(code).toBe(0);
  return out.trim();
}

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

describe('npm run token', () => {
  it('makes the first one on a fresh server, and keeps who did', async () => {
    const made = await token('create', 'ops', '--scopes', 'admin, read', '--expires-days', '90');
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^tarsy_\w{46}\n$/) });
    expect(made.said).toMatch(/^Token "ops" \(ADMIN, READ; expires 20\d\d-.*shown this once:\n$/);
    const client = apiClient(app.url, bearer(made.out.trim()));
    expect(await client.query('{ apiTokens { name createdBy } }')).toEqual({
      apiTokens: [{ name: 'ops', createdBy: 'console' }],
    });
    const { rows } = await pool.query('select actor, via, action, detail, address from audit_events');
    expect(rows).toEqual([
      {
        ...{ actor: 'console', via: 'CONSOLE', action: 'token.create', address: null },
        detail: expect.objectContaining({ name: 'ops', scopes: ['ADMIN', 'READ'] }),
      },
    ]);
  });

  it.each([
    [[], 'Usage: npm run token'],
    [['revoke', 'x'], 'Usage: npm run token'],
    [['create', 'x'], 'Say with --scopes'],
    [['create', 'x', '--scopes', 'READ,ROOT'], 'There is no scope ROOT.'],
    [['create', 'x', '--scopes', 'READ', '--expires-days', '0'], '--expires-days is a whole number'],
    [['create', 'x', '--scoops', 'READ'], "Unknown option '--scoops'"],
  ])('says what is wrong with %j', async (args, problem) => {
    const { code, out, said } = await token(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(said).toContain(problem);
  });
});

describe('a source that takes API tokens', () => {
  const deliver = (headers: Record<string, string>, query = '') =>
    fetch(`${app.url}/webhooks/prod${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(alertBody()),
    });

  it('takes those with the scope SUBMIT_ALERTS, past the proxy, and no others', async () => {
    const [reader, sender] = [await make('READ'), await make('SUBMIT_ALERTS')];
    expect((await deliver(bearer(reader))).status).toBe(401);
    expect((await deliver({}, `?token=${sender}`)).status).toBe(401);
    expect((await deliver({ 'x-forwarded-user': 'ana' })).status).toBe(401);
    expect((await deliver(bearer(sender))).status).toBe(202);
    await pool.query('update api_tokens set revoked_at = now()');
    expect((await deliver(bearer(sender))).status).toBe(401);
  });
});

describe('a token with the scope CHAT alone', () => {
  const CANCEL = `mutation ($id: ID!) { cancelSession(id: $id) { __typename ... on Error { message } } }`;

  it('stops an answer, but no investigation', async () => {
    const chat = apiClient(app.url, bearer(await make('CHAT')));
    const ana = apiClient(app.url, { 'x-forwarded-user': 'ana', 'x-forwarded-for': '6.6.6.6, 192.0.2.7' });
    app.llm.otherwise({ hang: true });
    const id = await ana.submit('disk full');
    await ana.waitFor(id, ({ status }) => status === 'IN_PROGRESS');
    expect(await chat.query(CANCEL, { id })).toEqual({
      cancelSession: {
        __typename: 'ForbiddenError',
        message: 'With the scope CHAT alone an answer can be stopped, no investigation.',
      },
    });
    expect(await ana.query(CANCEL, { id })).toEqual({
      cancelSession: { __typename: 'CancelSessionSuccess' },
    });
    await ana.waitFor(id, ({ status }) => ENDED.has(status));
    const { rows } = await pool.query(
      `select actor, via, address, target_type from audit_events where action = 'session.cancel'`,
    );
    expect(rows).toEqual([{ actor: 'ana', via: 'PROXY', address: '192.0.2.7', target_type: 'Session' }]);
  });
});
