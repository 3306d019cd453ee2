import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { Pool } from 'pg';
import { pino } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { createDirectory } from '../../src/access/directory.ts';
import { createEndedAccess } from '../../src/access/ended-access.ts';
import { createSavedViews } from '../../src/access/saved-views.ts';
import { teamNames } from '../../src/access/teams.ts';
import { createTokens } from '../../src/access/tokens.ts';
import { NotFoundError } from '../../src/common/errors.ts';
import { readEnvironment } from '../../src/config/env.ts';
import type { AuthConfig } from '../../src/config/types.ts';
import { openPool, statementTarget } from '../../src/db/pool.ts';
import type { Engine } from '../../src/engine/api/engine.ts';
import { NO_TRACING } from '../../src/engine/api/tracing.ts';
import { createTransaction } from '../../src/engine/store/database.ts';
import { createHttpServer, type HttpDeps } from '../../src/http/server.ts';
import { startReadReplica } from '../../src/start/wiring/read-replica.ts';
import type { Release } from '../../src/start/wiring/types.ts';
import { createTelemetry } from '../../src/telemetry/open.ts';
import { createWarnings } from '../../src/warnings.ts';
import { databaseVariables } from './database-modes.ts';
import { createTestDatabase } from './postgres.ts';

export interface Answer<T> {
  status: number;
  data: T;
  errors: { message: string; path?: unknown[]; extensions: Record<string, unknown> }[] | undefined;
}

/** The authentication settings of a configuration that has none. */
export const NO_AUTH: AuthConfig = {
  mode: 'none',
  trustedProxies: ['127.0.0.0/8', '::1/128'],
  identityHeaders: 'x-forwarded',
  allowUnauthenticatedNetwork: false,
  oidc: null,
};

/** A publisher that publishes nothing. */
const SILENT = { publish: async () => {} };

export type Api = Awaited<ReturnType<typeof openApi>>;

/** Starts the whole HTTP server with its own database and the given engine. */
export async function openApi(
  engine: Partial<Engine> = {},
  overrides: Partial<HttpDeps> & { host?: string } = {},
) {
  const { host = '127.0.0.1', ...changed } = overrides;
  const database = await createTestDatabase();
  const logs: Record<string, unknown>[] = [];
  const logger = pino({ level: 'debug' }, collect(logs));
  const environment = readEnvironment(databaseVariables(database.url));
  const target = statementTarget({ databaseUrl: database.url, environment });
  const pool = openPool(target, { application: 'tarsy-api', logger });
  const statements: Statement[] = [];
  const recorded = recordingPool(pool, statements);
  const dashboardDir = await mkdtemp(join(tmpdir(), 'tarsy-dashboard-'));
  const shared = {
    countSessions: async () => ({
      active: 0,
      queued: 0,
      waiting: {},
      toReview: 0,
      approvals: 0,
      oldestApprovalS: 0,
      notifications: 0,
    }),
    readServers: async () => [],
  };
  const telemetry = createTelemetry(shared, 'test', []);
  const stores = {
    db: changed.pool ?? pool,
    transaction: createTransaction(changed.pool ?? pool, SILENT),
    logger,
  };
  const teams = teamNames(changed.access ?? { teams: null });
  const releases: Release[] = [];
  const replica = startReadReplica(
    { environment },
    {
      ...{ database: target, telemetry, logger },
      warnings: createWarnings({ db: pool, mask: (text) => text, logger }),
    },
    (release) => releases.push(release),
  );
  if (replica !== null) {
    const { reads, searches } = replica.pools;
    const both = { reads: recordingPool(reads, statements), searches: recordingPool(searches, statements) };
    replica.pools = { ...replica.pools, ...both };
  }
  const endedAccess = createEndedAccess({ ...stores, signInMs: 8 * 3_600_000 });
  const server = createHttpServer({
    engine: { ...refusingEngine(), ...engine },
    pool: recorded,
    searchPool: recorded,
    replica,
    tracing: NO_TRACING,
    labels: ['capacity', 'noise'],
    alertTypes: [
      {
        name: 'kubernetes',
        chainId: 'kubernetes-chain',
        isDefault: true,
        description: 'Pods',
        stages: [
          { name: 'one', type: 'INVESTIGATION', agents: ['A', 'B'] },
          { name: 'one - Synthesis', type: 'SYNTHESIS', agents: ['SynthesisAgent'] },
          { name: 'Report', type: 'REPORT', agents: ['Report'] },
        ],
      },
      {
        name: 'host',
        chainId: 'host-chain',
        isDefault: false,
        description: '',
        stages: [{ name: 'only', type: 'INVESTIGATION', agents: ['A'] }],
      },
    ],
    model: { provider: 'scripted', model: 'scripted-1', reason: 'configured', usesRules: false },
    auth: NO_AUTH,
    configuration: async () => ({}),
    budgets: {},
    dashboardUrl: 'https://tarsy.example',
    access: { roles: null, teams: null, approvers: [] },
    endedAccess,
    directory: createDirectory({ ...stores, ended: endedAccess }),
    tokens: createTokens({ ...stores, teams }),
    savedViews: createSavedViews({ ...stores, teams }),
    metrics: telemetry.http,
    metricsPage: telemetry.page,
    mcpServers: { servers: [], defaults: () => null, selectable: () => null },
    intake: null,
    schedules: {
      list: async () => [],
      run: async () => {
        throw new NotFoundError('There is no schedule with this name.');
      },
      start: () => ({ stop: async () => {} }),
    },
    streamLimits: { connectionsPerClient: 1000, operationsPerConnection: 100 },
    logger,
    api: { introspection: false, graphiql: false },
    documents: null,
    checks: {},
    version: 'test',
    dashboardDir,
    ...changed,
  });
  const close = async (): Promise<void> => {
    await server.close();
    await endedAccess.close();
    for (const release of releases.reverse()) await release();
    await pool.end();
    await database.drop();
    await rm(dashboardDir, { recursive: true });
  };
  const { url, port } = await server.listen(host, 0).catch(async (error: unknown) => {
    await close();
    throw error;
  });

  return {
    url,
    port,
    wsUrl: `ws://127.0.0.1:${port}/graphql`,
    pool,
    logger,
    databaseUrl: database.url,
    logs,
    statements,
    dashboardDir,
    server,
    async query<T = unknown>(
      query: string,
      variables: Record<string, unknown> = {},
      headers: Record<string, string> = {},
    ): Promise<Answer<T>> {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query, variables }),
      });
      const body = (await response.json()) as Omit<Answer<T>, 'status'>;
      return { status: response.status, data: body.data, errors: body.errors };
    },
    close,
  };
}

/** Inserts one row; keys are column names. Returns the row's id. */
export async function insertRow(pool: Pool, table: string, row: Record<string, unknown>): Promise<string> {
  const id = (row.id as string | undefined) ?? uuidv7();
  const full: Record<string, unknown> = { id, ...row };
  const names = Object.keys(full).map((name) => `"${name}"`);
  const places = names.map((_, index) => `$${index + 1}`);
  await pool.query(
    `insert into ${table} (${names.join(', ')}) values (${places.join(', ')})`,
    Object.values(full),
  );
  return id;
}

/** Inserts a session. Columns that are not given get a default. */
export function insertSession(pool: Pool, row: Record<string, unknown> = {}): Promise<string> {
  return insertRow(pool, 'alert_sessions', {
    alert_type: 'host',
    alert_data: 'disk almost full',
    chain_id: 'host-chain',
    author: 'ana',
    ...row,
  });
}

/** Returns the global id that a client sees. */
export function globalId(type: string, id: string): string {
  return Buffer.from(`${type}:${id}`).toString('base64');
}

function refusingEngine(): Engine {
  const refuse = () => {
    throw new Error('this test gave no engine');
  };
  return {
    submitAlert: refuse,
    cancelSession: refuse,
    cancelSessions: refuse,
    runSessionNow: refuse,
    addHint: refuse,
    concludeSession: refuse,
    sendChatMessage: refuse,
    reviewSessions: refuse,
    scoreSession: refuse,
    updateMemory: refuse,
    deleteMemory: refuse,
    notificationChannels: async () => [],
    redeliverNotification: refuse,
    testNotificationChannel: refuse,
    createCase: refuse,
    importCase: refuse,
    deleteCase: refuse,
    replayCase: refuse,
    decideApproval: refuse,
    mayApprove: () => false,
    approvalArguments: (call) => call.arguments,
    subscribeApprovals: refuse,
    listRunbooks: refuse,
    listSkills: async () => [],
    chatRefusal: () => null,
    subscribeSession: refuse,
    subscribeSessions: refuse,
    subscribeSystemState: refuse,
  };
}

/** An SQL statement that the API runs to read data, on either server. */
export interface Statement {
  sql: string;
  values: unknown[] | undefined;
}

function recordingPool(pool: Pool, statements: Statement[]): Pool {
  return new Proxy(pool, {
    get(target, property) {
      if (property !== 'connect') {
        const value: unknown = Reflect.get(target, property, target);
        return typeof value === 'function' ? value.bind(target) : value; // `query` connects by itself
      }
      return async () => {
        const client = await target.connect();
        return new Proxy(client, {
          get(connected, name) {
            const value: unknown = Reflect.get(connected, name, connected);
            if (name !== 'query') return typeof value === 'function' ? value.bind(connected) : value;
            return (query: { text: string; values?: unknown[] }) => {
              statements.push({ sql: query.text, values: query.values });
              return connected.query(query as never);
            };
          },
        });
      };
    },
  });
}

function collect(logs: Record<string, unknown>[]): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      logs.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
      done();
    },
  });
}
