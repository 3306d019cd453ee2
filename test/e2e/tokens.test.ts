import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { tokenCommand } from '../../src/start/token.ts';
import { apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { startAlert } from '../helpers/cli/io.ts';
import { testConfig, writeConfig } from '../helpers/config.ts';
import { alertBody, openTestPool } from '../helpers/deliveries.ts';

let app: TestApp;
/** Folder of the configuration that `npm run token` reads. */
let withTeams: string;
let pool: ReturnType<typeof openTestPool>;
beforeAll(async () => {
  app = await startTestApp({
    auth: { mode: 'proxy' },
    intake: { sources: { prod: { type: 'generic', api_tokens: true } } },
  });
  pool = openTestPool(app.database.url);
  const access = { roles: { admin: { users: ['ada'] } }, teams: { payments: {}, search: {} } };
  withTeams = await writeConfig(testConfig({ auth: { mode: 'proxy' }, access }));
});
afterAll(async () => {
  await pool.end();
  await app.stop();
});

/** Ends running investigations, because they would consume the next test's script. */
afterEach(async () => {
  const open = 'select 1 from alert_sessions where completed_at is null';
  await expect.poll(async () => (await pool.query(open)).rowCount, { timeout: 20_000 }).toBe(0);
});

/** Runs `npm run token` as an operator does on the server's machine. */
async function token(...args: string[]): Promise<{ code: number; out: string; said: string }> {
  const written = { out: '', said: '' };
  const io = {
    stdout: { write: (text: string) => (written.out += text) },
    stderr: { write: (text: string) => (written.said += text) },
  };
  const env = { DATABASE_URL: app.database.url, NODE_ENV: 'test', CONFIG_DIR: withTeams };
  const code = await tokenCommand(args, env, io);
  return { code, ...written };
}

async function make(scopes: string): Promise<string> {
  const { code, out } = await token('create', 'ci', '--scopes', scopes);
  expect(code).toBe(0);
  return out.trim();
}

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

describe('npm run token', () => {
  it('creates the first token on a fresh server, and records its creator', async () => {
    const made = await token('create', 'ops', '--scopes', 'admin, read', '--expires-days', '90');
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^tarsy_\w{46}\n$/) });
    expect(made.said).toMatch(/^Token "ops" \(ADMIN, READ; expires 20\d\d-.*Shown only this once:\n$/);
    const client = apiClient(app.url, bearer(made.out.trim()));
    const { apiTokens } = await client.query<{ apiTokens: unknown[] }>('{ apiTokens { name createdBy } }');
    expect(apiTokens).toContainEqual({ name: 'ops', createdBy: 'console' });
    const { rows } = await pool.query(
      `select actor, via, action, detail, address from audit_events where detail->>'name' = 'ops'`,
    );
    expect(rows).toEqual([
      {
        ...{ actor: 'console', via: 'CONSOLE', action: 'token.create', address: null },
        detail: expect.objectContaining({ name: 'ops', scopes: ['ADMIN', 'READ'] }),
      },
    ]);
  });

  it('binds a token to a configured team, or to none', async () => {
    for (const team of ['search', '*']) {
      expect(await token('create', `of ${team}`, '--scopes', 'SUBMIT_ALERTS', '--team', team)).toMatchObject({
        code: 0,
      });
      const { rows } = await pool.query('select team from api_tokens where name = $1', [`of ${team}`]);
      expect(rows).toEqual([{ team }]);
    }
  });

  it('allows a name for only one team at a time, and replaces a token of the same team', async () => {
    const make = (...more: string[]) => token('create', 'shared', '--scopes', 'SUBMIT_ALERTS', ...more);
    const made = await Promise.all(['payments', 'search'].map((team) => make('--team', team)));
    const refused = { code: 2, said: expect.stringContaining('A token of another team has this name') };
    expect(made.filter(({ code }) => code !== 0)).toEqual([{ ...refused, out: '' }]);
    const { rows } = await pool.query<{ team: string }>(`select team from api_tokens where name = 'shared'`);
    expect(await make('--team', rows[0]!.team)).toMatchObject({ code: 0 });
    expect(await make()).toMatchObject(refused);
    await pool.query(`update api_tokens set revoked_at = now() where name = 'shared'`);
    expect(await make()).toMatchObject({ code: 0 });
  });

  it('lists tokens without their secrets', async () => {
    const { out: secret } = await token('create', 'listed', '--scopes', 'READ', '--expires-days', '9');
    const line = (await token('list')).out.split('\n').find((each) => each.includes('\tlisted\t'))!;
    expect(line.split('\t')).toEqual([
      expect.stringMatching(/^[0-9a-f-]{36}$/),
      'listed',
      expect.stringMatching(/^tarsy_\w+…$/),
      'READ',
      'no team',
      expect.stringMatching(/^expires 20/),
      expect.stringMatching(/^created 20\S+ by console$/),
      'never used',
    ]);
    expect(line).not.toContain(secret.trim());
  });

  it('revokes a token by name or id, and records it as the API does', async () => {
    for (const how of ['name', 'id']) {
      const name = `revoked by ${how}`;
      const { out: secret } = await token('create', name, '--scopes', 'READ');
      const [id] = (await token('list')).out
        .split('\n')
        .find((each) => each.includes(name))!
        .split('\t');
      const ended = await token('revoke', how === 'id' ? id! : name);
      expect(ended).toMatchObject({ code: 0, out: expect.stringMatching(`^Revoked: ${id}\t${name}\t`) });
      const refused = await fetch(`${app.url}/graphql?query={__typename}`, {
        headers: bearer(secret.trim()),
      });
      expect(refused.status).toBe(401);
      const { rows } = await pool.query(
        `select actor, via, target_type, target_id, detail from audit_events
         where action = 'token.revoke' and detail->>'name' = $1`,
        [name],
      );
      const detail = { name, prefix: secret.slice(0, rows[0].detail.prefix.length) };
      expect(rows).toEqual([
        { actor: 'console', via: 'CONSOLE', target_type: 'ApiToken', target_id: id, detail },
      ]);
      expect((await token('list')).out).not.toContain(name);
      expect((await token('list', '--all')).out).toMatch(new RegExp(`${name}.*revoked 20`));
      expect(await token('revoke', name)).toMatchObject({
        code: 2,
        said: 'The token is already revoked.\n',
      });
    }
  });

  it('asks for the id if several active tokens have the name', async () => {
    for (let count = 0; count < 2; count++) await token('create', 'twice', '--scopes', 'READ');
    const { code, said } = await token('revoke', 'twice');
    expect(code).toBe(2);
    const [id] = /[0-9a-f-]{36}/.exec(said)!;
    expect(await token('revoke', id)).toMatchObject({ code: 0 });
    expect(await token('revoke', 'twice')).toMatchObject({ code: 0 });
  });

  it.each([
    [[], 'Usage: npm run token'],
    [['remove', 'x'], 'Use create <name>, list, or revoke <name or id>.'],
    [
      ['create', 'x', '--scopes', 'READ', 'CHAT'],
      'Unexpected: CHAT. Commas separate scopes: --scopes READ,CHAT.',
    ],
    [['revoke'], 'Say: revoke <name or id>.'],
    [['revoke', 'x', '--all'], 'revoke has no option --all.'],
    [['revoke', 'no such token'], 'No token has this name or id.'],
    [['list', 'x'], 'list takes no name.'],
    [['list', '--team', 'search'], 'list has no option --team.'],
    [['create', 'x'], 'Give the scopes'],
    [['create', 'x', '--scopes', 'READ,ROOT'], 'Unknown scope: ROOT.'],
    [['create', 'x', '--scopes', 'READ', '--expires-days', '0'], '--expires-days must be a whole number'],
    [['create', 'x', '--scoops', 'READ'], "Unknown option '--scoops'"],
    [
      ['create', 'x', '--scopes', 'READ', '--team', 'sales'],
      'Unknown team. Configured teams: payments, search.',
    ],
    [['create', 'x', '--scopes', 'ADMIN', '--team', 'search'], 'sees every team; leave the team out'],
  ])('rejects %j with an explanation', async (args, problem) => {
    const { code, out, said } = await token(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(said).toContain(problem);
  });

  it('prints help on request', async () => {
    const usage = expect.stringContaining('Usage: npm run token');
    expect(await token('--help')).toEqual({ code: 0, out: usage, said: '' });
  });
});

describe('npm run alert', () => {
  const alert = (env: Record<string, string>) =>
    startAlert({ url: `${app.url}/graphql` }, ['disk full'], { env });

  it('shows an investigation with a token, and never prints the token', async () => {
    app.llm.script({ text: 'Analysed.' }, { text: 'Summed up.' });
    const secret = await make('READ,SUBMIT_ALERTS');
    const { exit, stdout, stderr } = alert({ TARSY_TOKEN: secret });
    expect(await exit).toBe(0);
    expect(stdout.text()).toContain('Summed up.');
    expect(stdout.text() + stderr.text()).not.toContain(secret);
    const { rows } = await pool.query(
      `select actor from audit_events where action = 'session.submit' order by at desc limit 1`,
    );
    expect(rows).toEqual([{ actor: 'token:ci' }]);
  });

  it('explains how to create a token that works', async () => {
    const without = alert({});
    expect(await without.exit).toBe(2);
    expect(without.stderr.text()).toMatch(
      /^UNAUTHENTICATED: Not authenticated.*\nSet TARSY_TOKEN to a token/,
    );
    const refused = alert({ TARSY_TOKEN: await make('READ') });
    expect(await refused.exit).toBe(2);
    expect(refused.stderr.text()).toMatch(
      /^FORBIDDEN: This needs a token with the scope SUBMIT_ALERTS; .*\n.*npm run token -- create <name> --scopes READ,SUBMIT_ALERTS/,
    );
  });

  it('stops at once when its token is revoked while it follows', async () => {
    app.llm.script([{ text: 'So far ' }, { gate: 'revoked' }, { text: 'and on.' }], { text: 'Summed up.' });
    const { exit, stdout, stderr } = alert({ TARSY_TOKEN: await make('READ,SUBMIT_ALERTS') });
    await stdout.until('So far');
    await pool.query('update api_tokens set revoked_at = now()');
    expect(await exit).toBe(5);
    expect(stderr.text()).toMatch(/WS_4401: .*\nTARSY_TOKEN must be a valid token/);
    app.llm.open('revoked');
  });

  it('does not wait for sessions that its token may not see', async () => {
    app.llm.script({ text: 'Analysed.' }, { text: 'Summed up.' });
    const { exit, stderr } = alert({ TARSY_TOKEN: await make('SUBMIT_ALERTS') });
    expect(await exit).toBe(5);
    expect(stderr.text()).toContain('FORBIDDEN: This needs a token with the scope READ');
  });
});

describe('a source that accepts API tokens', () => {
  const deliver = (headers: Record<string, string>, query = '') =>
    fetch(`${app.url}/webhooks/prod${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      // A severity below the one from which alerts are investigated.
      body: JSON.stringify(alertBody({ severity: 'info' })),
    });

  it('accepts those with the scope SUBMIT_ALERTS past the proxy, and no others', async () => {
    const [reader, sender] = [await make('READ'), await make('SUBMIT_ALERTS')];
    expect((await deliver(bearer(reader))).status).toBe(401);
    expect((await deliver({}, `?token=${sender}`)).status).toBe(401);
    expect((await deliver({ 'x-forwarded-user': 'ana' })).status).toBe(401);
    expect((await deliver(bearer(sender))).status).toBe(202);
    await pool.query('update api_tokens set revoked_at = now()');
    expect((await deliver(bearer(sender))).status).toBe(401);
  });
});

describe('a token with only the scope CHAT', () => {
  const CANCEL = `mutation ($id: ID!) { cancelSession(id: $id) { __typename ... on Error { message } } }`;

  it('stops an answer but no investigation', async () => {
    const chat = apiClient(app.url, bearer(await make('CHAT')));
    const ana = apiClient(app.url, { 'x-forwarded-user': 'ana', 'x-forwarded-for': '6.6.6.6, 192.0.2.7' });
    app.llm.script({ hang: true });
    const before = app.llm.requests.length;
    const id = await ana.submit('disk full');
    await app.llm.call(before);
    expect(await chat.query(CANCEL, { id })).toEqual({
      cancelSession: {
        __typename: 'ForbiddenError',
        message: 'The scope CHAT permits stopping answers only, not investigations.',
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
