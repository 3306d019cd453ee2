import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { type Logger, pino } from 'pino';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startTemporaryPostgres, type TemporaryPostgres } from '../../test/helpers/temporary-postgres.ts';
import { readEnvironment } from '../config/env.ts';
import { connectOnce, databaseProblem } from './connect.ts';
import { migrateDatabase } from './migrate.ts';

const logger: Logger = pino({ level: 'silent' });

let server: TemporaryPostgres;
beforeAll(async () => {
  server = await startTemporaryPostgres();
});
afterAll(() => server.stop());

/** Returns the server's URL with parts replaced. */
function urlWith(parts: {
  user?: string;
  password?: string;
  host?: string;
  path?: string;
  query?: string;
}): string {
  const { username, password, host, port, pathname } = new URL(server.url);
  const name = parts.host === undefined ? host : `${parts.host}:${port}`;
  const [user, secret] = [parts.user ?? username, parts.password ?? password];
  return `postgres://${user}:${secret}@${name}${parts.path ?? pathname}?${parts.query ?? 'sslmode=disable'}`;
}

/** Returns the message that an operator sees for this URL. */
async function messageOf(url: string): Promise<string> {
  try {
    const given = readEnvironment({ DATABASE_URL: url }).databaseUrl ?? '';
    await (await connectOnce(given, { application: 'test', logger })).end();
    return 'connected';
  } catch (error) {
    return (error as Error).message;
  }
}

test.each([
  ['no listener', 'postgres://tarsy:geheim@127.0.0.1:1/tarsy', /127\.0\.0\.1:1 .* nothing listens there/],
  [
    'an unknown host',
    'postgres://tarsy:geheim@db.invalid/tarsy',
    /db\.invalid:5432 .* its name (is unknown|cannot)/,
  ],
  ['no socket', 'postgres:///tarsy?host=/nowhere&password=geheim', /at \/nowhere cannot be used/],
  [
    'a missing file',
    'postgres://tarsy:geheim@db/tarsy?sslrootcert=/nope',
    /\/nope cannot be read \(ENOENT\)/,
  ],
])('names DATABASE_URL and host with %s', async (_, url, expected) => {
  const message = await messageOf(url);
  expect(message).toMatch(/^DATABASE_URL: the database at \S+ cannot be used because [^\n]*\.$/);
  expect(message).toMatch(expected);
  expect(message).not.toContain('geheim');
});

test.each(['ge@heim', 'ge:heim', 'ge%heim', 'ge%40heim', 'ge%2Fheim', 'ge%23heim'])(
  'repeats no part of the refused password %s',
  async (password) => {
    const message = await messageOf(urlWith({ password }));
    expect(message).toContain('it refuses the user or the password: correct them in DATABASE_URL');
    expect(message).not.toMatch(/heim|ge[@:%]/);
  },
);

test('reports what the server refuses without its words', async () => {
  expect(await messageOf(urlWith({ path: '/absent' }))).toContain('it has no such database: create');
  expect(await messageOf(urlWith({ user: 'geheim', path: '/geheim' }))).toContain(
    'refuses the user or the password',
  );
  expect(await messageOf(urlWith({ query: 'sslmode=require' }))).toContain(
    'it offers no TLS: turn on ssl there',
  );
  const { host, username, pathname } = new URL(server.url);
  const without = await messageOf(`postgres://${username}@${host}${pathname}?sslmode=disable`);
  expect(without).toContain('it requires a password and none is set');
});

test('reports a listener that is no PostgreSQL', async () => {
  const other = createServer((socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
  );
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const { port } = other.address() as { port: number };
  expect(await messageOf(`postgres://u:geheim@127.0.0.1:${port}/db`)).toMatch(/^DATABASE_URL: [^\n]+\.$/);
  other.close();
});

/** Returns the server's URL through a proxy. `relay` handles each client connection and its connection to the server. */
async function urlThrough(relay: (near: Socket, far: Socket) => void): Promise<string> {
  const { hostname, port } = new URL(server.url);
  const proxy = createServer((near) => {
    const far = connect(Number(port), hostname);
    near.pipe(far);
    near.on('close', () => far.destroy());
    relay(near, far);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void proxy.close());
  const own = new URL(server.url);
  own.port = String((proxy.address() as { port: number }).port);
  return own.href;
}

test.each([
  [13, /because its version is older than 14: upgrade it, or name another server in DATABASE_URL\.$/],
  [14, /^connected$/],
])('PostgreSQL %i is named old, or used', async (version, expected) => {
  const url = await urlThrough((near, far) =>
    far.on('data', (answer: Buffer) => {
      const told = answer.toString('latin1').replace(/(?<=server_version\0)\d\d/, `${version}`);
      near.write(told, 'latin1');
    }),
  );
  expect(await messageOf(url)).toMatch(expected);
});

/**
 * Opens a connection through a proxy that holds the server's bytes, except the first `passed`, until the log names the
 * slow database.
 */
async function connectSlowly(passed: number, refusesSilence: boolean): Promise<void> {
  const slow = Promise.withResolvers<void>();
  const relay = async (near: Socket, answer: Buffer) => {
    near.write(answer.subarray(0, passed));
    await slow.promise;
    near.write(answer.subarray(passed));
  };
  const url = await urlThrough((near, far) =>
    far.once('data', (answer: Buffer) => void relay(near, answer).then(() => far.pipe(near))),
  );
  const told = pino({ level: 'warn' }, { write: () => slow.resolve() });
  const client = await connectOnce(url, { application: 'test', logger: told, refusesSilence });
  await client.end();
}

test('waits for a silent server that answers later', async () => {
  await connectSlowly(0, false);
});

test('refuses a silent server for a user who waits, but none that has begun to answer', async () => {
  await expect(connectSlowly(0, true)).rejects.toThrow(
    /because it did not answer within 1\.5 s: check host, port, firewall and DNS\.$/,
  );
  await connectSlowly(1, true);
});

test('does not blame a server that answers while this process is busy', async () => {
  const warnings: string[] = [];
  const told = pino({ level: 'warn' }, { write: (line) => warnings.push(line) });
  const opening = connectOnce(server.url, { application: 'test', logger: told, refusesSilence: true });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000);
  await (await opening).end();
  expect(warnings).toEqual([]);
});

test('a user without rights is told to become the owner', async () => {
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  await admin.query(`create role guest login password 'guest'`);
  await admin.end();
  const migrated = migrateDatabase(urlWith({ user: 'guest', password: 'guest' }), { logger });
  await expect(migrated).rejects.toThrow(
    /the user lacks a permission: make the user the owner of the database\.$/,
  );
});

test('an error of the program keeps its stack', () => {
  const bug = Object.assign(new Error('column does not exist'), { code: '42703' });
  expect(databaseProblem(bug, server.url)).toBeNull();
});
