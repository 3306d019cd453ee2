import { join, resolve } from 'node:path';
import { EnvironmentError, type EnvironmentIssue } from './errors.ts';
import { type Fallback, fallbackOf, type VariableName } from './variables.ts';

/** Environment variables by name: `process.env`, or a test's replacement for it. */
export type EnvironmentRecord = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Values of PGSSLMODE; pg ignores others, and connects without encryption. */
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'] as const;

/** The settings that come from environment variables. An empty variable counts as not set. */
export type Environment = ReturnType<typeof readEnvironment>;

const PROJECT_ROOT = resolve(import.meta.dirname, '../..');

/** Reads and validates the environment. @throws EnvironmentError naming every invalid variable */
export function readEnvironment(env: EnvironmentRecord, cwd: string = process.cwd()) {
  const issues: EnvironmentIssue[] = [];
  const read = <Name extends VariableName, T>(
    key: Name,
    parse: (text: string) => T | Error,
  ): T | Extract<Fallback<Name>, null> => {
    const given = env[key]?.trim() || fallbackOf(key);
    // Null if the variable has no fallback, as the type says; also after an issue, which is thrown below.
    const nothing = null as Extract<Fallback<Name>, null>;
    if (given === null) return nothing;
    const value = parse(given);
    if (!(value instanceof Error)) return value;
    issues.push({ key, message: value.message });
    return nothing;
  };
  const tls = {
    sslmode: read('PGSSLMODE', oneOf(SSL_MODES)),
    sslrootcert: read('PGSSLROOTCERT', (path) => resolve(cwd, path)),
    sslcert: read('PGSSLCERT', (path) => resolve(cwd, path)),
    sslkey: read('PGSSLKEY', (path) => resolve(cwd, path)),
  };
  for (const key of ['DATABASE_POOLER_URL', 'DATABASE_READ_URL'] as const)
    if (env[key]?.trim() && !env.DATABASE_URL?.trim())
      issues.push({ key, message: 'set DATABASE_URL too, for what needs PostgreSQL itself' });
  const nodeEnv = read('NODE_ENV', oneOf(['development', 'production', 'test']));
  const environment = Object.freeze({
    httpHost: read('HTTP_HOST', host),
    /** Port of the HTTP server (0–65535); 0 = any free port. */
    httpPort: read('HTTP_PORT', wholeNumber(0, 65_535)),
    /** URL of PostgreSQL; `null` if TARSy starts its own. Contains a password: never log it. */
    databaseUrl: withTls(read('DATABASE_URL', databaseUrl), tls),
    /** URL of a pooler in front of PostgreSQL; `null` if there is none. Contains a password: never log it. */
    databasePoolerUrl: withTls(read('DATABASE_POOLER_URL', databaseUrl), tls),
    /** URL of a hot standby that answers reads; `null` if there is none. Contains a password: never log it. */
    databaseReadUrl: withTls(read('DATABASE_READ_URL', databaseUrl), tls),
    /** Maximum time that a read waits for the standby (ms). */
    databaseReadWaitMs: read('DATABASE_READ_WAIT_MS', wholeNumber(10, 10_000)),
    /** Folder of TARSy's data and logs. */
    home: read('TARSY_HOME', (path) => resolve(cwd, path)) ?? join(PROJECT_ROOT, '.tarsy'),
    configDir: read('CONFIG_DIR', (path) => resolve(cwd, path)) ?? join(PROJECT_ROOT, 'deploy/config'),
    /** `host:port` of the LLM service; `null` if TARSy starts its own on a free port. */
    llmServiceAddr: read('LLM_SERVICE_ADDR', address),
    /** Number of sessions that run at once in this process (1–1000); `null` if the configuration decides. */
    workerConcurrency: read('WORKER_CONCURRENCY', wholeNumber(1, 1000)),
    /** The address of an extra listener for /health and /metrics. */
    metricsHost: read('METRICS_HOST', host),
    /** Port of the extra listener; `null` if there is none, 0 = any free port. */
    metricsPort: read('METRICS_PORT', wholeNumber(0, 65_535)),
    /** OTLP URL to which traces are exported; `null` if they are not exported. */
    tracesUrl:
      read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', httpUrl) ?? read('OTEL_EXPORTER_OTLP_ENDPOINT', tracesOf),
    serviceName: read('OTEL_SERVICE_NAME', (text) => text),
    logLevel: read('LOG_LEVEL', oneOf(LOG_LEVELS)),
    logFormat:
      read('LOG_FORMAT', oneOf(['json', 'pretty'])) ?? (nodeEnv === 'production' ? 'json' : 'pretty'),
    nodeEnv,
    /** Encryption key of all processes (32 bytes in base64); `null` if a file in `home` holds the key. Never log it. */
    key: read('TARSY_KEY', secretKey),
    /** Hash of the commit that the container image was built from; `null` if unknown. */
    commit: read('TARSY_COMMIT', commitHash),
  });
  if (issues.length > 0) throw new EnvironmentError(issues);
  return environment;
}

function oneOf<const Word extends string>(words: readonly Word[]) {
  return (text: string): Word | Error =>
    words.find((word) => word === text.toLowerCase()) ??
    new Error(`expected one of ${words.join(', ')}; got "${text}"`);
}

function wholeNumber(minimum: number, maximum: number) {
  return (text: string): number | Error => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    return new Error(`expected a whole number between ${minimum} and ${maximum}, got "${text}"`);
  };
}

function secretKey(text: string): string | Error {
  const isKey = /^[A-Za-z0-9+/]{43}=$/.test(text);
  return isKey ? text : new Error('expected 32 bytes in base64, such as `openssl rand -base64 32` prints');
}

/** Accepts a host name, an IPv4 address, or an IPv6 address without brackets. */
function host(text: string): string | Error {
  if (/^[A-Za-z0-9._-]{1,253}$/.test(text) || /^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$/.test(text)) return text;
  return new Error(`expected a host name or an IP address, got "${text}"`);
}

/**
 * Accepts a URL whose parts are certain. A password with an unescaped / ? or # would end the host's part before its @, so
 * a part of the password would be taken for the host. No message repeats the URL.
 */
function databaseUrl(text: string): string | Error {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    url !== null &&
    /^postgres(?:ql)?:$/.test(url.protocol) &&
    /^[^/]+\/\/[^/?#]*[^@#]*$/.test(text) &&
    isDecodable(text)
  )
    return text;
  return new Error(
    'expected a URL such as postgres://user:password@host:5432/tarsy; write @ : / ? # % in a password as %40 %3A %2F %3F %23 %25',
  );
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25')); // pg takes other % signs as they are
    return true;
  } catch {
    return false;
  }
}

/** Adds the TLS settings of libpq's variables, because pg reads only PGSSLMODE. */
function withTls(url: string | null, settings: Readonly<Record<string, string | null>>): string | null {
  if (url === null) return null;
  const given = Object.entries(settings).filter(
    ([name, value]) => value !== null && !new RegExp(`[?&](?:ssl|${name})=`).test(url),
  );
  const added = given.map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`).join('&');
  return withVerification(added === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${added}`);
}

/** Names the mode that pg uses for these modes today, because pg 9 would no longer verify the certificate. */
function withVerification(url: string): string {
  if (/[?&]uselibpqcompat=true/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}

function httpUrl(text: string): string | Error {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text;
  return new Error('expected an http or https URL such as http://localhost:4318');
}

/** Returns the traces URL of an OTLP endpoint that receives all signals, by appending `/v1/traces`. */
function tracesOf(text: string): string | Error {
  const url = httpUrl(text);
  return typeof url === 'string' ? `${url.replace(/\/+$/, '')}/v1/traces` : url;
}

function commitHash(text: string): string | Error {
  if (/^[0-9a-f]{7,64}$/i.test(text)) return text.toLowerCase();
  return new Error(`expected the hash of a commit such as 1a2b3c4, got "${text}"`);
}

function address(text: string): string | Error {
  const match = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):(\d{1,5})$/.exec(text);
  const port = Number(match?.[1] ?? 0);
  if (port >= 1 && port <= 65_535) return text;
  return new Error(`expected host:port such as localhost:50051, got "${text}"`);
}
