import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { chooseAccount, giveTo } from '../../src/machine/postgres/account.ts';
import { startTemporaryPostgres, type TemporaryPostgres } from '../helpers/temporary-postgres.ts';

const MAIN = resolve(import.meta.dirname, '../../src/main.ts');

/** Rules of access: the database `over_tls` admits no connection without TLS. */
const ACCESS = `hostssl over_tls all samehost scram-sha-256
host tarsy,postgres all samehost scram-sha-256
`;

let server: TemporaryPostgres;
let dir: string;
let url: URL;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tarsy-tls-'));
  chmodSync(dir, 0o755);
  makeCertificate('ca', []);
  makeCertificate('other', []);
  const signed = ['-CA', join(dir, 'ca.pem'), '-CAkey', join(dir, 'ca.key')];
  for (const [name, host] of [
    ['server', 'localhost'],
    ['elsewhere', 'db.example.com'],
  ] as const) {
    makeCertificate(name, [...signed, '-addext', `subjectAltName=DNS:${host}`]);
    giveTo(join(dir, `${name}.key`), chooseAccount(undefined));
  }
  writeFileSync(join(dir, 'pg_hba.conf'), ACCESS);
  writeFileSync(join(dir, 'broken.pem'), '-----BEGIN CERTIFICATE-----\nbroken\n-----END CERTIFICATE-----\n');
  server = await startTemporaryPostgres();
  url = new URL(server.url);
  await asAdmin('create database over_tls', `alter system set hba_file = '${join(dir, 'pg_hba.conf')}'`);
  await asAdmin('alter system set ssl = on', ...useCertificate('server'));
  await server.restart();
});
afterAll(async () => {
  await server.stop();
  rmSync(dir, { recursive: true });
});

function makeCertificate(name: string, more: readonly string[]): void {
  const files = ['-keyout', join(dir, `${name}.key`), '-out', join(dir, `${name}.pem`)];
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', `/CN=${name}`];
  execFileSync('openssl', [...args, ...files, ...more], { stdio: 'ignore' });
}

const useCertificate = (name: string) => [
  `alter system set ssl_cert_file = '${join(dir, `${name}.pem`)}'`,
  `alter system set ssl_key_file = '${join(dir, `${name}.key`)}'`,
  'select pg_reload_conf()',
];

async function asAdmin(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  for (const sql of statements) await client.query(sql);
  await client.end();
}

/** Runs `migrate` as an operator does. Returns the exit code and everything that it prints. */
async function migrate(query: string, env: Record<string, string> = {}) {
  const address = `postgres://${url.username}:${url.password}@localhost:${url.port}/over_tls${query}`;
  return new Promise<{ code: number; said: string }>((ended) => {
    const variables = { PATH: process.env.PATH, NODE_ENV: 'test', DATABASE_URL: address, ...env };
    execFile(process.execPath, [MAIN, 'migrate'], { env: variables }, (error, stdout, stderr) =>
      ended({ code: Number(error?.code ?? 0), said: stdout + stderr }),
    );
  });
}

test.each([
  ['verify-full', () => `?sslmode=verify-full&sslrootcert=${dir}/ca.pem`, () => ({})],
  ['require', () => `?sslmode=require&sslrootcert=${dir}/ca.pem`, () => ({})],
  ['no-verify', () => '?sslmode=no-verify', () => ({})],
  ['the environment', () => '', () => ({ PGSSLMODE: 'verify-full', PGSSLROOTCERT: join(dir, 'ca.pem') })],
])('every connection is encrypted with %s', async (_, query, env) => {
  const { code, said } = await migrate(query(), env());
  expect(said).toMatch(/^(?:Migrated: .*|Nothing to migrate\.)$/m);
  expect(said).not.toContain('Warning');
  expect(code).toBe(0);
});

test.each([
  [
    'no TLS',
    () => '',
    'refuses this user from this address: allow the connection in its pg_hba.conf, or encrypt it',
  ],
  [
    'an unknown authority',
    () => '?sslmode=require',
    'this machine does not trust the authority that signed its certificate',
  ],
  ['another authority', () => `?sslrootcert=${dir}/other.pem`, 'does not trust the authority'],
  ['a missing file', () => `?sslrootcert=${dir}/absent.pem`, 'absent.pem cannot be read (ENOENT)'],
  ['a file that is no certificate', () => `?sslrootcert=${dir}/broken.pem`, 'does not trust the authority'],
  [
    'a missing key',
    () => `?sslmode=no-verify&sslcert=${dir}/ca.pem&sslkey=${dir}/broken.pem`,
    'TLS fails (ERR_OSSL',
  ],
])('one sentence says what fails with %s', async (_, query, problem) => {
  expectOneSentence(await migrate(query()), problem);
});

test('a certificate of another host is refused', async () => {
  await asAdmin(...useCertificate('elsewhere'));
  onTestFinished(() => asAdmin(...useCertificate('server')));
  expectOneSentence(await migrate(`?sslrootcert=${dir}/ca.pem`), 'its certificate names another host');
});

function expectOneSentence({ code, said }: { code: number; said: string }, problem: string): void {
  expect(said).toMatch(/^DATABASE_URL: the database at localhost:\d+ cannot be used because [^\n]+\.\n$/);
  expect(said).toContain(problem);
  expect(said).not.toContain(url.password);
  expect(code).toBe(1);
}
