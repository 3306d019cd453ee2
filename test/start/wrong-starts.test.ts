import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { acquireInstanceLock } from '../../src/machine/instance-lock.ts';
import { freePort } from '../helpers/free-port.ts';
import { processesOf, type StartOptions, startCommand } from '../helpers/start-command.ts';

/** Lines of the set-up. A wrong start ends before them. */
const SET_UP = /creating the database|installing Python|building the dashboard|is up|database migrated/;
const IS_ROOT = process.getuid?.() === 0;

let parent: string;
let home: string;
/** Accepts connections and never answers. */
let silent: Server;
let taken: string;
let free: string;
beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'tarsy-wrong-'));
  chmodSync(parent, 0o755);
  silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  taken = String((silent.address() as AddressInfo).port);
  free = String(await freePort());
  for (const [name, script] of Object.entries(PYTHONS)) {
    writeFileSync(join(parent, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(parent, name), 0o755);
  }
});
afterAll(() => {
  silent.close();
  rmSync(parent, { recursive: true });
});
beforeEach(() => {
  home = mkdtempSync(join(parent, 'home-'));
  chmodSync(home, 0o777);
});

/** Stand-ins for Python: what each prints when TARSy asks for its version, and what it does then. */
const PYTHONS = {
  python: 'echo 3.12 True',
  'python-old': 'echo 3.9 True',
  'python-bare': 'echo 3.12 False',
  'python-slow': 'case "$*" in *venv\\ *) sleep 600 & wait;; *) echo 3.12 True;; esac',
  'python-full':
    'case "$*" in *venv\\ *) echo "OSError: No space left on device"; exit 1;; *) echo 3.12 True;; esac',
};

const EVENTS = 'events: { bus: nats, nats: { servers: ["tls://nats"], tls: { ca_file: /absent.pem } } }';
const python = (name: keyof typeof PYTHONS) => ({ PYTHON: join(parent, name) });

/** Returns the URL of the tests' PostgreSQL with replaced parts. */
function database(parts: Partial<URL> = {}): { DATABASE_URL: string } {
  const url = Object.assign(new URL(inject('postgres').adminUrl), parts);
  return { DATABASE_URL: url.href };
}

function config(yaml: string): { CONFIG_DIR: string } {
  writeFileSync(join(home, 'tarsy.yaml'), yaml);
  return { CONFIG_DIR: home };
}

/** Fills the data home with files before the start. */
function withFiles(files: Record<string, string>): Partial<StartOptions> {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(home, path, '..'), { recursive: true });
    writeFileSync(join(home, path), content);
  }
  return {};
}

const env = (variables: Record<string, string>): Partial<StartOptions> => ({ env: variables });

const WRONG: readonly (readonly [name: string, () => Partial<StartOptions>, says: RegExp])[] = [
  ['port in use', () => env({ HTTP_PORT: taken }), /Port \d+ on 127\.0\.0\.1 is taken\. .* set HTTP_PORT/],
  [
    'port that is no number',
    () => env({ HTTP_PORT: '80a' }),
    /HTTP_PORT: expected a whole number between 0 and/,
  ],
  ['port that is too high', () => env({ HTTP_PORT: '70000' }), /HTTP_PORT: .* got "70000"/],
  ['negative port', () => env({ HTTP_PORT: '-1' }), /HTTP_PORT: .* got "-1"/],
  [
    'foreign address',
    () => env({ METRICS_HOST: '198.51.100.7', METRICS_PORT: '0' }),
    /^198\.51\.100\.7 is not an address of this machine\. Set METRICS_HOST to one of 127\.0\.0\.1/,
  ],
  [
    'host with a scheme',
    () => env({ HTTP_HOST: 'http://localhost' }),
    /HTTP_HOST: expected a host name or an IP/,
  ],
  [
    'port of the metrics in use',
    () => env({ METRICS_PORT: taken }),
    /is taken\. .* set METRICS_PORT to another/,
  ],
  ['same port twice', () => env({ HTTP_PORT: free, METRICS_PORT: free }), /Port \d+ .* set METRICS_PORT/],
  [
    'public address without sign-in',
    () => env({ HTTP_HOST: '0.0.0.0' }),
    /HTTP_HOST is 0\.0\.0\.0, which other machines can/,
  ],
  [
    'database that nobody runs',
    () => env({ DATABASE_URL: 'postgres://u:geheim@127.0.0.1:1/d' }),
    /DATABASE_URL: the database at 127\.0\.0\.1:1 .* nothing listens there/,
  ],
  [
    'database on an unknown host',
    () => env({ DATABASE_URL: 'postgres://u:geheim@db.invalid/d' }),
    /DATABASE_URL: the database at db\.invalid:5432 .* its name/,
  ],
  ['silent database', () => env(database({ port: taken })), /DATABASE_URL: .* did not answer within 1\.5 s:/],
  [
    'database of another kind',
    () => env({ DATABASE_URL: 'mysql://u:geheim@db/d' }),
    /DATABASE_URL: expected a URL such as/,
  ],
  [
    'password that ends too early',
    () => env({ DATABASE_URL: 'postgres://u:1/geheim@db/d' }),
    /DATABASE_URL: .* %2F/,
  ],
  [
    'wrong password',
    () => env(database({ password: 'geheim' })),
    /DATABASE_URL: .* refuses the user or the password/,
  ],
  ['absent database', () => env(database({ pathname: '/absent' })), /DATABASE_URL: .* has no such database/],
  [
    'TLS that the server lacks',
    () => env(database({ search: '?sslmode=require' })),
    /DATABASE_URL: .* offers no TLS/,
  ],
  [
    'absent certificate',
    () => env(database({ search: '?sslrootcert=/absent' })),
    /DATABASE_URL: .*\/absent cannot be/,
  ],
  [
    'unknown mode of TLS',
    () => env({ ...database(), PGSSLMODE: 'full' }),
    /PGSSLMODE: expected one of disable/,
  ],
  ['key of the wrong length', () => env({ TARSY_KEY: 'geheim' }), /TARSY_KEY: expected 32 bytes in base64/],
  ['missing Python', () => env({ PYTHON: '/absent' }), /PYTHON is set to \/absent, which does not run: run/],
  ['old Python', () => env(python('python-old')), /Python ≥ 3\.11 is required, but .* is 3\.9: run/],
  ['Python without venv', () => env(python('python-bare')), /Python 3\.12 lacks its venv module: run/],
  [
    'too little address space',
    () => ({ before: 'ulimit -v 1800000' }),
    /limited to \d+ MiB and .* ulimit -v unlim/,
  ],
  [
    'data home below a file',
    () => env({ TARSY_HOME: '/dev/null/home' }),
    /\/dev\/null\/home cannot be written \(ENOTDIR\)/,
  ],
  ['broken data home', () => withFiles({ python: '' }), /\/python is not a folder: move it away/],
  [
    'data of another PostgreSQL',
    () => withFiles({ 'postgres/PG_VERSION': '18' }),
    /database that TARSy did not create: set/,
  ],
  [
    'proxy that is off',
    () => env({ HTTPS_PROXY: 'http://u:geheim@127.0.0.1:1' }),
    /HTTPS_PROXY: the proxy at 127\.0\.0\.1:1 does not answer \(ECONNREFUSED\)/,
  ],
  [
    'proxy that is silent',
    () => env({ https_proxy: `http://127.0.0.1:${taken}` }),
    /HTTPS_PROXY: the proxy at \S+ does not answer/,
  ],
  [
    'proxy without an address',
    () => env({ HTTPS_PROXY: 'socks://u:geheim@h' }),
    /HTTPS_PROXY must be the URL of an http or https proxy/,
  ],
  ['absent configuration', () => env({ CONFIG_DIR: '/absent' }), /\/absent: .*CONFIG_DIR/],
  ['configuration that is no YAML', () => env(config('agents: [')), /tarsy\.yaml:1:\d+: /],
  ['unknown key', () => env(config('agnts: {}')), /tarsy\.yaml:1:1: agnts: /],
  [
    'unreadable configuration',
    () => withFiles({ 'config/tarsy.yaml/file': '' }) && env({ CONFIG_DIR: join(home, 'config') }),
    /tarsy\.yaml: /,
  ],
  [
    'LLM service without a port',
    () => env({ LLM_SERVICE_ADDR: 'llm' }),
    /LLM_SERVICE_ADDR: expected host:port/,
  ],
  [
    'LLM service that nobody runs',
    () => env({ LLM_SERVICE_ADDR: '127.0.0.1:1' }),
    /LLM_SERVICE_ADDR: the LLM service at .* not answer \(ECONNREFUSED\)\. Start it/,
  ],
  ['absent certificates', () => env(config(EVENTS)), /ca_file: \/absent\.pem cannot be read \(.*ENOENT/],
  ['unknown log level', () => env({ LOG_LEVEL: 'loud' }), /LOG_LEVEL: expected one of trace, debug/],
  ['API without a database', () => ({ args: ['api'] }), /^api needs DATABASE_URL, for example/],
  [
    'worker without an LLM service',
    () => ({ args: ['worker'], env: database() }),
    /^worker needs LLM_SERVICE_ADDR, for/,
  ],
  [
    'API whose port is in use',
    () => ({ args: ['api'], env: { ...database(), HTTP_PORT: taken } }),
    /set HTTP_PORT/,
  ],
];

test.each(WRONG)('%s: one sentence, and nothing is left', async (_, wrong, says) => {
  const { env: given, ...options } = wrong();
  await expectRefusal({ ...options, env: { ...python('python'), ...given } }, says);
});

test.skipIf(!IS_ROOT)('port below 1024 without the right to it', async () => {
  await expectRefusal(
    { asNobody: true, env: { ...python('python'), HTTP_PORT: '80' } },
    /may not listen on port 80\. Set HTTP_PORT to 1024/,
  );
});

test.skipIf(!IS_ROOT)('full disk', async () => {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=20m', 'tarsy-test', home]);
  try {
    await expectRefusal(
      { env: python('python') },
      /has \d+ MiB free, but 400 are required: free space, or set TARSY_HOME/,
    );
  } finally {
    execFileSync('umount', [home]);
  }
});

test('second start', async () => {
  const lock = await acquireInstanceLock({ home });
  lock.announce('http://127.0.0.1:8080');
  await expectRefusal(
    { env: python('python') },
    new RegExp(
      `^TARSy is already running \\(pid ${process.pid}, http://127.0.0.1:8080\\): stop it, or set TARSY_HOME`,
    ),
  );
  lock.release();
});

test('Ctrl-C during the set-up ends it with everything that it started', async () => {
  const started = startCommand({ home, env: { ...database(), ...python('python-slow') } });
  await started.line(/installing Python packages/);
  await expect.poll(() => processesOf(home).some((line) => line.includes('sleep 600'))).toBe(true);
  process.kill(started.child.pid!, 'SIGINT');
  expect(await started.ended).toBe(130);
  expect(started.said()).toMatch(/^Stopped before TARSy was ready\. The next start continues the set-up\.$/m);
  expect(processesOf(home)).toEqual([]);
});

test('a step of the set-up that fails ends the other steps', async () => {
  const admin = new pg.Client({ connectionString: inject('postgres').adminUrl });
  await admin.connect();
  await admin.query(`create role wrong_start login password 'x'`);
  await admin.query('create database wrong_start');
  const { DATABASE_URL } = database({ username: 'wrong_start', password: 'x', pathname: '/wrong_start' });
  const started = startCommand({ home, env: { ...python('python-slow'), DATABASE_URL } });
  expect(await started.ended).toBe(1);
  expect(started.said()).toMatch(/^DATABASE_URL: .* the user lacks a permission: make the user the owner/m);
  expect(processesOf(home)).toEqual([]);
  await admin.query('drop database wrong_start with (force)');
  await admin.query('drop role wrong_start');
  await admin.end();
});

test('a step of the set-up that fails says why', async () => {
  const started = startCommand({ home, env: { ...database(), ...python('python-full') } });
  expect(await started.ended).toBe(1);
  expect(started.said()).toMatch(
    /^The Python environment could not be created: OSError: No space left on device$/m,
  );
  expect(processesOf(home)).toEqual([]);
});

async function expectRefusal(options: Omit<StartOptions, 'home'>, says: RegExp): Promise<void> {
  const started = startCommand({ home, ...options });
  const code = await started.ended;
  const lines = started.said().trim().split('\n');
  expect(lines.filter((line) => says.test(line))).toHaveLength(1);
  expect(lines.length).toBeLessThanOrEqual(2); // some sentences have a heading
  expect(started.said()).not.toMatch(SET_UP);
  expect(started.said()).not.toMatch(/geheim|^ +at /m);
  expect(code).toBe(1);
  expect(processesOf(home)).toEqual([]);
}
