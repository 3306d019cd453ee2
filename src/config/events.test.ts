import { expect, test } from 'vitest';
import { loadText } from '../../test/fixtures/config/load-text.ts';
import { printConfig } from './check.ts';

const SERVERS = ['nats://nats.acme.test:4222'];
const SEED = `SU${'A'.repeat(56)}`;
const load = (nats: object | null, env: Record<string, string> = {}, bus = 'nats') =>
  loadText(JSON.stringify({ events: { bus, ...(nats && { nats }) } }), env);

test('PostgreSQL is the bus by default', async () => {
  expect((await loadText('')).events).toEqual({ bus: 'postgres', nats: null });
});

test('a connection is loaded with its defaults, and printed without the password', async () => {
  const nats = { servers: SERVERS, username: 'tarsy', password_env: 'NATS_PASSWORD' };
  const config = await load(nats, { NATS_PASSWORD: 'a-secret' });
  expect(config.events.nats).toMatchObject({ servers: SERVERS, subjectPrefix: 'tarsy', tls: null });
  const printed = printConfig(config);
  expect(printed).toContain('password_env: NATS_PASSWORD');
  expect(printed).not.toContain('a-secret');
});

test('secrets are checked only if NATS is the bus', async () => {
  const nats = { servers: SERVERS, token_env: 'MISSING' };
  expect((await load(nats, {}, 'postgres')).events.bus).toBe('postgres');
});

test.each<[string, object | null, RegExp]>([
  ['no connection', null, /events\.nats: is required when bus is nats/],
  ['no servers', { servers: [] }, /events\.nats\.servers/],
  ['another scheme', { servers: ['http://nats:4222'] }, /servers\[0\]: expected nats:\/\/host:4222/],
  ['no host', { servers: ['nats://'] }, /servers\[0\]: expected/],
  ['a path', { servers: ['nats://nats:4222/x'] }, /servers\[0\]: expected/],
  ['credentials in a URL', { servers: ['nats://u:p@nats:4222'] }, /servers\[0\]: holds credentials/],
  ['mixed schemes', { servers: ['nats://a', 'tls://b'] }, /servers: must all begin with/],
  ['a wildcard', { servers: SERVERS, subject_prefix: 'tarsy.>' }, /subject_prefix: expected words/],
  ['an empty word', { servers: SERVERS, subject_prefix: 'a..b' }, /subject_prefix: expected words/],
  [
    'a user without password',
    { servers: SERVERS, username: 'u' },
    /username and password_env belong together/,
  ],
  [
    'two logins',
    { servers: SERVERS, token_env: 'TOKEN', nkey_env: 'SEED' },
    /set only one of username, token_env, nkey_env and credentials_env/,
  ],
  ['a missing variable', { servers: SERVERS, token_env: 'MISSING' }, /variable MISSING is not set/],
  ['a bad seed', { servers: SERVERS, nkey_env: 'TOKEN' }, /variable TOKEN is not the seed of a user/],
  ['bad credentials', { servers: SERVERS, credentials_env: 'SEED' }, /SEED is not the text of a credentials/],
  ['certificates without tls://', { servers: SERVERS, tls: {} }, /tls: needs servers that begin with tls/],
  [
    'a certificate without its key',
    { servers: ['tls://nats'], tls: { cert_file: '/x' } },
    /cert_file and key_file belong together/,
  ],
])('%s is refused', async (_, nats, problem) => {
  const error = await load(nats, { TOKEN: 'a-secret', SEED }).catch((refused: unknown) => refused);
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringMatching(problem) });
  expect(String(error)).not.toContain('a-secret');
});
