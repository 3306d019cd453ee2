import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readEnvironment } from './env.ts';
import { EnvironmentError } from './errors.ts';

const ROOT = resolve(import.meta.dirname, '../..');

test('everything has a default', () => {
  expect(readEnvironment({})).toEqual({
    httpHost: '127.0.0.1',
    httpPort: 8080,
    databaseUrl: null,
    databasePoolerUrl: null,
    databaseReadUrl: null,
    databaseReadWaitMs: 200,
    home: `${ROOT}/.tarsy`,
    configDir: `${ROOT}/deploy/config`,
    llmServiceAddr: null,
    workerConcurrency: null,
    metricsHost: '127.0.0.1',
    metricsPort: null,
    tracesUrl: null,
    serviceName: 'tarsy',
    logLevel: 'info',
    logFormat: 'pretty',
    nodeEnv: 'development',
    key: null,
    commit: null,
  });
});

test('everything can be set; paths are relative to the working directory', () => {
  const env = {
    HTTP_HOST: '::1',
    HTTP_PORT: ' 0 ',
    DATABASE_URL: 'postgresql://tarsy:p%40ss@db:5432/tarsy?sslmode=require',
    DATABASE_POOLER_URL: 'postgresql://tarsy@pooler:6432/tarsy?sslmode=disable&sslrootcert=/srv/ca.pem',
    DATABASE_READ_URL: 'postgresql://tarsy@standby:5432/tarsy?sslmode=disable&sslrootcert=/srv/ca.pem',
    DATABASE_READ_WAIT_MS: '1500',
    PGSSLMODE: 'disable',
    PGSSLROOTCERT: 'ca.pem',
    TARSY_HOME: 'data',
    CONFIG_DIR: '/etc/tarsy',
    LLM_SERVICE_ADDR: '[::1]:50051',
    WORKER_CONCURRENCY: '12',
    METRICS_HOST: '0.0.0.0',
    METRICS_PORT: '9090',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/',
    OTEL_SERVICE_NAME: 'tarsy-eu',
    LOG_LEVEL: 'WARN',
    LOG_FORMAT: 'json',
    NODE_ENV: 'production',
    TARSY_KEY: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
    TARSY_COMMIT: '1A2B3C4',
  };
  expect(readEnvironment(env, '/srv')).toEqual({
    httpHost: '::1',
    httpPort: 0,
    databaseUrl: 'postgresql://tarsy:p%40ss@db:5432/tarsy?sslmode=verify-full&sslrootcert=%2Fsrv%2Fca.pem',
    databasePoolerUrl: 'postgresql://tarsy@pooler:6432/tarsy?sslmode=disable&sslrootcert=/srv/ca.pem',
    databaseReadUrl: 'postgresql://tarsy@standby:5432/tarsy?sslmode=disable&sslrootcert=/srv/ca.pem',
    databaseReadWaitMs: 1500,
    home: '/srv/data',
    configDir: '/etc/tarsy',
    llmServiceAddr: '[::1]:50051',
    workerConcurrency: 12,
    metricsHost: '0.0.0.0',
    metricsPort: 9090,
    tracesUrl: 'http://collector:4318/v1/traces',
    serviceName: 'tarsy-eu',
    logLevel: 'warn',
    logFormat: 'json',
    nodeEnv: 'production',
    key: env.TARSY_KEY,
    commit: '1a2b3c4',
  });
});

test('the endpoint for traces takes precedence over the one for all signals', () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example.com/in',
  };
  expect(readEnvironment(env).tracesUrl).toBe('https://traces.example.com/in');
  expect(() => readEnvironment({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' })).toThrow(EnvironmentError);
});

test('an empty variable counts as not set', () => {
  const names = ['HTTP_HOST', 'HTTP_PORT', 'DATABASE_URL', 'CONFIG_DIR', 'LLM_SERVICE_ADDR', 'LOG_LEVEL'];
  const empty = Object.fromEntries(names.map((name) => [name, ' ']));
  expect(readEnvironment(empty)).toEqual(readEnvironment({}));
});

test.each([
  [{}, ''],
  [{ PGSSLMODE: 'Require' }, '?sslmode=verify-full'],
  [
    { PGSSLMODE: 'no-verify', PGSSLCERT: '/c', PGSSLKEY: '/k' },
    '?sslmode=no-verify&sslcert=%2Fc&sslkey=%2Fk',
  ],
])('connections to PostgreSQL are encrypted as %j says', (tls, added) => {
  const url = 'postgres://tarsy@db/tarsy';
  expect(readEnvironment({ DATABASE_URL: url, ...tls }).databaseUrl).toBe(`${url}${added}`);
});

test('a mode of encryption that pg does not know is refused, because pg would not encrypt', () => {
  const issues = thrownBy(() => readEnvironment({ PGSSLMODE: 'verify_full' })).issues;
  expect(issues).toMatchObject([{ key: 'PGSSLMODE' }]);
});

test.each(['12/geheim', '12#geheim', '12?geheim', 'gehe@im/x', 'geheim/', 'ge/heim', 'ge%e9heim'])(
  'a password whose end is uncertain is refused and not repeated: %s',
  (password) => {
    const problem = thrownBy(() => readEnvironment({ DATABASE_URL: `postgres://u:${password}@db/tarsy` }));
    expect(problem.issues).toMatchObject([{ key: 'DATABASE_URL' }]);
    expect(problem.message).toContain('write @ : / ? # % in a password as %40 %3A %2F %3F %23 %25');
    expect(problem.message).not.toMatch(/heim|12|%e9/);
  },
);

test.each(['ge@heim', 'ge:heim', 'ge%heim', 'ge%zz', '%40%2F'])('the password %s is taken', (password) => {
  const url = `postgres://u:${password}@db/tarsy`;
  expect(readEnvironment({ DATABASE_URL: url }).databaseUrl).toBe(url);
});

test.each(['DATABASE_POOLER_URL', 'DATABASE_READ_URL'])('%s needs the address of the database too', (key) => {
  const { issues } = thrownBy(() => readEnvironment({ [key]: 'postgres://other:6432/tarsy' }));
  expect(issues).toMatchObject([{ key }]);
});

test('production logs JSON by default', () => {
  expect(readEnvironment({ NODE_ENV: 'production' }).logFormat).toBe('json');
  expect(readEnvironment({ NODE_ENV: 'production', LOG_FORMAT: 'pretty' }).logFormat).toBe('pretty');
});

test('reports all invalid variables at once, without the database URL', () => {
  const env = {
    HTTP_HOST: 'http://localhost',
    HTTP_PORT: '80a',
    DATABASE_URL: 'mysql://root:hunter2@db/tarsy',
    LLM_SERVICE_ADDR: 'localhost',
    WORKER_CONCURRENCY: '0',
    LOG_LEVEL: 'loud',
    LOG_FORMAT: 'xml',
    NODE_ENV: 'staging',
  };
  const problem = thrownBy(() => readEnvironment(env));
  expect(problem.code).toBe('ENVIRONMENT_INVALID');
  expect(problem.message).toBe(`The environment cannot be used:
  NODE_ENV: expected one of development, production, test; got "staging"
  HTTP_HOST: expected a host name or an IP address, got "http://localhost"
  HTTP_PORT: expected a whole number between 0 and 65535, got "80a"
  DATABASE_URL: expected a URL such as postgres://user:password@host:5432/tarsy; write @ : / ? # % in a password as %40 %3A %2F %3F %23 %25
  LLM_SERVICE_ADDR: expected host:port such as localhost:50051, got "localhost"
  WORKER_CONCURRENCY: expected a whole number between 1 and 1000, got "0"
  LOG_LEVEL: expected one of trace, debug, info, warn, error, fatal, silent; got "loud"
  LOG_FORMAT: expected one of json, pretty; got "xml"`);
});

test.each(['65536', '-1', '1.5', '0x50', '1e3'])('HTTP_PORT %s is refused', (port) => {
  expect(thrownBy(() => readEnvironment({ HTTP_PORT: port })).issues).toMatchObject([{ key: 'HTTP_PORT' }]);
});

function thrownBy(run: () => unknown): EnvironmentError {
  try {
    run();
  } catch (error) {
    if (error instanceof EnvironmentError) return error;
  }
  throw new Error('expected an EnvironmentError');
}
