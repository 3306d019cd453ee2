import { z } from 'zod';
import { checked, envVariable, list, matching, text } from './common.ts';
import { settings } from './settings.ts';

/** Returns the problem of a NATS server's URL; `null` if it is usable. */
function serverProblem(value: string): string | null {
  const url = URL.parse(value);
  if (!/^(?:nats|tls):\/\/[^/?#]+$/i.test(value) || url === null || url.hostname === '')
    return 'expected nats://host:4222, or tls://host:4222 for encryption, without a path';
  return url.username === '' && url.password === ''
    ? null
    : 'holds credentials: use username and password_env, token_env, nkey_env or credentials_env';
}

const tls = settings(
  z.strictObject({
    ca_file: text('File with the certificate authorities of the servers; default: those of Node').optional(),
    cert_file: text('File with the certificate of TARSy as a client').optional(),
    key_file: text('File with the key of cert_file').optional(),
  }),
  [
    'cert_file',
    ({ cert_file: cert, key_file: key }) =>
      (cert === undefined) === (key === undefined) ? null : 'cert_file and key_file belong together',
  ],
).describe('Certificates of connections to tls:// servers');

const natsKeys = z.strictObject({
  servers: list(
    checked(z.string(), serverProblem),
    'URLs of the servers of one cluster: nats://host:4222, or tls://host:4222 for encryption',
  ).min(1),
  subject_prefix: matching(
    /^[A-Za-z0-9_-]{1,64}(?:\.[A-Za-z0-9_-]{1,64}){0,7}$/,
    'expected words of letters, digits, "_" or "-", joined by dots, such as tarsy.production',
  )
    .describe(
      'Beginning of the subject; the same in all processes of an installation. An identifier of the database follows',
    )
    .prefault('tarsy'),
  username: text('User name').optional(),
  password_env: envVariable('Environment variable with the password of username').optional(),
  token_env: envVariable('Environment variable with a token').optional(),
  nkey_env: envVariable('Environment variable with the seed of an NKey').optional(),
  credentials_env: envVariable(
    'Environment variable with the text of a credentials file (JWT and seed)',
  ).optional(),
  tls: tls.optional(),
});

const isTls = (url: unknown): boolean => typeof url === 'string' && /^tls:/i.test(url);

const nats = settings(
  natsKeys,
  [
    'password_env',
    ({ username, password_env: password }) =>
      (username === undefined) === (password === undefined)
        ? null
        : 'username and password_env belong together',
  ],
  [
    'servers',
    ({ servers }) =>
      Array.isArray(servers) && new Set(servers.map(isTls)).size > 1
        ? 'must all begin with nats:// or all with tls://'
        : null,
  ],
  [
    'tls',
    ({ servers, tls: certificates }) =>
      certificates !== undefined && Array.isArray(servers) && !servers.every(isTls)
        ? 'needs servers that begin with tls://'
        : null,
  ],
  [
    'username',
    ({ username, token_env: token, nkey_env: nkey, credentials_env: credentials }) =>
      [username, token, nkey, credentials].filter((one) => one !== undefined).length > 1
        ? 'set only one of username, token_env, nkey_env and credentials_env'
        : null,
  ],
).describe('Connection to NATS');

const eventsKeys = z.strictObject({
  bus: z
    .enum(['postgres', 'nats'])
    .describe(
      'Carries wake-ups and growing texts between the processes. postgres: LISTEN and NOTIFY; nats: NATS, and PostgreSQL while NATS is unavailable',
    )
    .prefault('postgres'),
  nats: nats.optional(),
});

export const eventsSchema = settings(eventsKeys, [
  'nats',
  ({ bus, nats: connection }) =>
    bus === 'nats' && connection === undefined ? 'is required when bus is nats' : null,
]).describe('Live events between the processes');
