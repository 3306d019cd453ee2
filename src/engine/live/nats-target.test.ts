import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NATS_SERVER, startNatsServer } from '../../../test/helpers/nats-server.ts';
import type { NatsConfig } from '../../config/types.ts';
import { createNatsCarrier } from './nats-carrier.ts';
import { natsTarget } from './nats-target.ts';

const LONG = { timeout: 30_000, interval: 10 };
const WAITING = 'not connected yet';
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
type Key = ReturnType<typeof nkeys.createUser>;

/** Signs claims as NATS does. */
function signed(issuer: Key, subject: Key, name: string, nats: object): string {
  const claims = { iss: issuer.getPublicKey(), sub: subject.getPublicKey(), name, iat: 1, jti: name, nats };
  const signing = `${encoded({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encoded(claims)}`;
  return `${signing}.${Buffer.from(issuer.sign(new TextEncoder().encode(signing))).toString('base64url')}`;
}

const [operator, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createUser()];
const operatorJwt = signed(operator, operator, 'operator', { type: 'operator', version: 2 });
const accountJwt = signed(operator, account, 'account', {
  ...{ type: 'account', version: 2 },
  limits: { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 },
});
const userJwt = signed(account, user, 'user', { type: 'user', version: 2, subs: -1, data: -1, payload: -1 });
const credentials = `-----BEGIN NATS USER JWT-----
${userJwt}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${text(user.getSeed())}
------END USER NKEY SEED------
`;

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'tarsy-nats-tls-'));
  for (const name of ['own', 'other']) {
    const files = ['-keyout', join(dir, `${name}.key`), '-out', join(dir, `${name}.pem`)];
    const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', `/CN=${name}`];
    execFileSync('openssl', [...args, ...files, '-addext', 'subjectAltName=DNS:localhost'], {
      stdio: 'ignore',
    });
  }
});
afterAll(() => rmSync(dir, { recursive: true }));

const CONFIG: NatsConfig = {
  ...{ servers: [], subjectPrefix: 'tarsy', username: null, passwordEnv: null },
  ...{ tokenEnv: null, nkeyEnv: null, credentialsEnv: null, tls: null },
};

/** Starts a server, and returns what keeps a carrier from it; `null` if nothing does. */
async function problemAt(
  settings: string,
  config: Partial<NatsConfig>,
  options: { env?: Record<string, string>; tls?: boolean } = {},
): Promise<string | null> {
  const server = await startNatsServer(settings);
  const url = options.tls ? server.url.replace('nats://127.0.0.1', 'tls://localhost') : server.url;
  const target = natsTarget({ ...CONFIG, servers: [url], ...config }, options.env ?? {}, 'one');
  const carrier = createNatsCarrier({ target, logger: pino({ level: 'silent' }) });
  carrier.start({ onNotice: null, onChange() {} });
  try {
    await expect.poll(carrier.problem, LONG).not.toBe(WAITING);
    return carrier.problem();
  } finally {
    await carrier.close();
    await server.stop();
  }
}

describe.skipIf(NATS_SERVER === null)('a carrier reaches NATS (skipped without nats-server)', () => {
  const secret = (value: string) => ({ env: { NATS_SECRET: value } });
  const operatorMode = `operator: ${operatorJwt}\nresolver: MEMORY
    resolver_preload: { ${account.getPublicKey()}: ${accountJwt} }`;

  test('with a token', async () => {
    const settings = 'authorization { token: right }';
    expect(await problemAt(settings, { tokenEnv: 'NATS_SECRET' }, secret('right'))).toBeNull();
    expect(await problemAt(settings, { tokenEnv: 'NATS_SECRET' }, secret('wrong'))).toMatch(/Authorization/);
  });

  test('with an NKey', async () => {
    const settings = `authorization { users = [{ nkey: ${user.getPublicKey()} }] }`;
    const other = nkeys.createUser();
    expect(await problemAt(settings, { nkeyEnv: 'NATS_SECRET' }, secret(text(user.getSeed())))).toBeNull();
    const refused = await problemAt(settings, { nkeyEnv: 'NATS_SECRET' }, secret(text(other.getSeed())));
    expect(refused).toMatch(/Authorization/);
  });

  test('with credentials', async () => {
    expect(await problemAt(operatorMode, { credentialsEnv: 'NATS_SECRET' }, secret(credentials))).toBeNull();
    expect(await problemAt(operatorMode, {})).toMatch(/Authorization/);
  });

  test('over TLS, if it knows the authority', async () => {
    const settings = `tls { cert_file: "${dir}/own.pem", key_file: "${dir}/own.key" }`;
    const tls = (name: string) => ({
      tls: { caFile: join(dir, `${name}.pem`), certFile: null, keyFile: null },
    });
    expect(await problemAt(settings, tls('own'), { tls: true })).toBeNull();
    expect(await problemAt(settings, tls('other'), { tls: true })).toMatch(/certificate/);
    expect(await problemAt(settings, {}, { tls: true })).toMatch(/certificate/);
    expect(await problemAt('', tls('own'), { tls: true })).toMatch(/does not support 'tls'/);
  });

  test('over TLS with a certificate of its own', async () => {
    const files = `cert_file: "${dir}/own.pem", key_file: "${dir}/own.key", ca_file: "${dir}/other.pem"`;
    const caFile = join(dir, 'own.pem');
    const own = { caFile, certFile: join(dir, 'other.pem'), keyFile: join(dir, 'other.key') };
    const settings = `tls { ${files}, verify: true }`;
    expect(await problemAt(settings, { tls: own }, { tls: true })).toBeNull();
    const without = { caFile, certFile: null, keyFile: null };
    expect(await problemAt(settings, { tls: without }, { tls: true })).not.toBeNull();
  });
});
