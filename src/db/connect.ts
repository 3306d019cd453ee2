import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';

/** Time (ms) after which a connection fails. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Time (ms) in which a server sends its first byte, unless the host is wrong or the server is only just waking up. */
const SILENCE_MS = 1_500;

/** Time (ms) of one turn of waiting. A busy process reads late, so that a turn counts no more however long it lasts. */
const TURN_MS = 100;

/** The database cannot be used. The message names host and remedy, and never repeats the URL or a text of the server. */
export class DatabaseUnusableError extends Error {
  override readonly name = 'DatabaseUnusableError';
  readonly code = 'DATABASE_UNUSABLE';
}

/** The oldest major version of PostgreSQL that has all statements of the migrations. */
const OLDEST_VERSION = 14;

/** The part of pg's client that its types lack. */
type WithSocket = pg.Client & {
  readonly connection: {
    readonly stream: Socket;
    on(event: 'parameterStatus', listener: (status: ParameterStatus) => void): void;
  };
};

/** A setting that the server reports while a client connects. */
interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

/**
 * Opens one connection. Logs a line if the host is slow to answer.
 * @param options.variable the variable that holds the URL, for messages
 * @param options.refusesSilence fails if the server has sent nothing by then, for a user who waits at a terminal
 * @throws DatabaseUnusableError
 */
export async function connectOnce(
  url: string,
  options: { application: string; logger: Logger; refusesSilence?: boolean; variable?: string },
): Promise<pg.Client> {
  const { variable = 'DATABASE_URL' } = options;
  const answered = new AbortController();
  let client: WithSocket | undefined;
  try {
    // Within the try block, because the constructor reads the files of sslrootcert, sslcert and sslkey.
    client = new pg.Client({
      connectionString: url,
      application_name: options.application,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    }) as WithSocket;
    const { stream } = client.connection; // TCP, because pg replaces the stream when TLS begins
    void waitInTurns(SILENCE_MS, answered.signal).then(
      () => {
        if (options.refusesSilence && !stream.bytesRead)
          stream.destroy(Object.assign(new Error('the server sent nothing'), { code: 'SILENT' }));
        else
          options.logger.warn(
            { host: databaseHost(url) },
            'the database of DATABASE_URL has not answered yet'.replace('DATABASE_URL', variable),
          );
      },
      () => {}, // answered in time
    );
    client.on('error', (error) => options.logger.warn({ reason: error.message }, 'database connection lost'));
    let isOld = false;
    client.connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
      if (parameterName === 'server_version') isOld = Number.parseInt(parameterValue, 10) < OLDEST_VERSION;
    });
    await client.connect();
    if (isOld) throw Object.assign(new Error('the server is old'), { code: 'OLD_SERVER' });
    return client;
  } catch (error) {
    // pg leaves the socket open if TLS fails, and the socket would keep this process alive.
    client?.connection.stream.destroy();
    throw unusable(url, causeOf(error) ?? unknownCause(error), error, variable);
  } finally {
    answered.abort();
  }
}

/** Waits until this process has had `ms` in which it could read. Rejects if the signal is aborted. */
async function waitInTurns(ms: number, signal: AbortSignal): Promise<void> {
  for (let waited = 0; waited < ms; waited += TURN_MS) await delay(TURN_MS, undefined, { signal });
}

/** Returns the error for an operator if its cause lies in the server or its settings; `null` for others, such as bugs. */
export function databaseProblem(error: unknown, url: string): DatabaseUnusableError | null {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof DatabaseUnusableError) return at;
    const cause = causeOf(at);
    if (cause !== null) return unusable(url, cause, error);
  }
  return null;
}

/** Returns `host:port` of the URL, or the folder of a Unix socket. pg takes missing parts from PGHOST and PGPORT. */
function databaseHost(url: string): string {
  const { hostname, port, searchParams } = new URL(url);
  const host = searchParams.get('host') || decodeURIComponent(hostname) || process.env.PGHOST || 'localhost';
  if (host.startsWith('/')) return host;
  return `${host}:${searchParams.get('port') || port || process.env.PGPORT || 5432}`;
}

/** The problem, and the operator's remedy. */
type Cause = readonly [problem: string, remedy: string];

const ENCODE = 'write @ : / ? # % in a password as %40 %3A %2F %3F %23 %25';
const UNTRUSTED: Cause = [
  'this machine does not trust the authority that signed its certificate',
  'name the file of the authority with sslrootcert=/path/ca.pem in DATABASE_URL',
];
const OTHER_TIME: Cause = [
  'its certificate is expired or not yet valid',
  'renew it, or correct the clock of this machine',
];
const NO_ROUTE: Cause = [
  'there is no route to this host',
  'correct the host, or the network of this machine',
];
const noAnswer = (limitMs: number): Cause => [
  `it did not answer within ${limitMs / 1000} s`,
  'check host, port, firewall and DNS',
];
const NO_ANSWER = noAnswer(CONNECT_TIMEOUT_MS);
const CLOSED: Cause = [
  'it closed the connection',
  'check that host and port are those of PostgreSQL, and whether it requires TLS (sslmode=verify-full)',
];

/** Causes by SQLSTATE (PostgreSQL, Appendix A), system error code or OpenSSL's verification error. */
const CAUSES: Readonly<Record<string, Cause>> = {
  '25006': ['it is read-only, such as a standby', 'name the primary server in DATABASE_URL'],
  '28000': [
    'it refuses this user from this address',
    'allow the connection in its pg_hba.conf, or encrypt it (sslmode=verify-full) if required',
  ],
  '28P01': ['it refuses the user or the password', `correct them in DATABASE_URL; ${ENCODE}`],
  '3D000': ['it has no such database', 'create the database, or name another in DATABASE_URL'],
  '42501': ['the user lacks a permission', 'make the user the owner of the database'],
  '53100': ['its disk is full', 'free disk space there'],
  '53300': ['it has no free connection', 'raise its max_connections, or stop other clients'],
  '57P03': ['it is starting up or shutting down', 'start TARSy again in a moment'],
  CERT_HAS_EXPIRED: OTHER_TIME,
  CERT_NOT_YET_VALID: OTHER_TIME,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'its certificate names another host',
    'use the host name of the certificate in DATABASE_URL',
  ],
  EAI_AGAIN: ['its name cannot be resolved now', 'check the name, and the DNS of this machine'],
  ECONNREFUSED: ['nothing listens there', 'start PostgreSQL, or correct host and port'],
  ECONNRESET: CLOSED,
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  ENOTFOUND: ['its name is unknown', 'correct the host'],
  ETIMEDOUT: NO_ANSWER,
  OLD_SERVER: [
    `its version is older than ${OLDEST_VERSION}`,
    'upgrade it, or name another server in DATABASE_URL',
  ],
  SILENT: noAnswer(SILENCE_MS),
};

/** Causes of pg's errors without a code, by a pattern of the message. */
const WITHOUT_CODE: readonly (readonly [RegExp, Cause])[] = [
  [/^timeout expired/, NO_ANSWER],
  [/^Connection terminated/, CLOSED],
  [
    /does not support SSL/,
    ['it offers no TLS', 'turn on ssl there, or set sslmode=disable on a trusted network'],
  ],
  [/password must be a/, ['it requires a password and none is set', `add it to DATABASE_URL; ${ENCODE}`]],
];

function causeOf(error: unknown): Cause | null {
  if (!(error instanceof Error)) return null;
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  if (syscall === 'open' && path !== undefined)
    return [
      `the file ${path} cannot be read (${code})`,
      'correct sslrootcert, sslcert or sslkey in DATABASE_URL',
    ];
  if (code !== undefined) {
    if (Object.hasOwn(CAUSES, code)) return CAUSES[code]!;
    if (/^ERR_(OSSL|SSL|TLS)/.test(code))
      return [`TLS fails (${code})`, 'check the files of sslrootcert, sslcert and sslkey: each is PEM'];
    return null;
  }
  return WITHOUT_CODE.find(([pattern]) => pattern.test(error.message))?.[1] ?? null;
}

/** Returns the cause of an unforeseen error, without its message, which may repeat parts of the URL. */
function unknownCause(error: unknown): Cause {
  const { code, name } = error as NodeJS.ErrnoException;
  return [`the connection fails (${code ?? name})`, `check DATABASE_URL; ${ENCODE}`];
}

function unusable(
  url: string,
  [problem, remedy]: Cause,
  cause: unknown,
  variable = 'DATABASE_URL',
): DatabaseUnusableError {
  const message = `DATABASE_URL: the database at ${databaseHost(url)} cannot be used because ${problem}: ${remedy}.`;
  return new DatabaseUnusableError(message.replaceAll('DATABASE_URL', variable), { cause });
}
