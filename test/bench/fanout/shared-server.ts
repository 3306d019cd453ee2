import { pino } from 'pino';
import { createDirectory } from '../../../src/access/directory.ts';
import { createEndedAccess } from '../../../src/access/ended-access.ts';
import { createSavedViews } from '../../../src/access/saved-views.ts';
import { createTokens } from '../../../src/access/tokens.ts';
import { openPool } from '../../../src/db/pool.ts';
import type { Engine } from '../../../src/engine/api/engine.ts';
import { NO_TRACING } from '../../../src/engine/api/tracing.ts';
import { openBus } from '../../../src/engine/live/bus.ts';
import { createSessionSubscriptions } from '../../../src/engine/live/subscribe-session.ts';
import { createTransaction } from '../../../src/engine/store/database.ts';
import { createHttpServer } from '../../../src/http/server.ts';
import { createTelemetry } from '../../../src/telemetry/open.ts';

/**
 * A server with only TARSy's streams, which sends each piece on its own. Measures shared execution without
 * collecting pieces.
 */
const url = process.env.DATABASE_URL!;
const logger = pino({ level: 'warn' });
const pool = openPool(url, { application: 'tarsy-api', logger });
const bus = await openBus(url, logger);
const { subscribeSession } = createSessionSubscriptions({
  db: pool,
  replayDb: pool,
  bus,
  coalesceMs: 0,
  logger,
});
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
const telemetry = createTelemetry(shared, 'bench', []);
const stores = { db: pool, transaction: createTransaction(pool, { publish: async () => {} }), logger };
const endedAccess = createEndedAccess({ ...stores, signInMs: 0 });
const server = createHttpServer({
  budgets: {},
  tracing: NO_TRACING,
  dashboardUrl: 'http://127.0.0.1',
  intake: null,
  engine: { subscribeSession } as Engine,
  pool,
  searchPool: pool,
  alertTypes: [],
  labels: [],
  model: { provider: 'none', model: 'none', reason: '', usesRules: false },
  mcpServers: { servers: [], defaults: () => null, selectable: () => null },
  access: { roles: null, teams: null, approvers: [] },
  configuration: async () => ({}),
  tokens: createTokens({ ...stores, teams: null }),
  savedViews: createSavedViews({ ...stores, teams: null }),
  endedAccess,
  directory: createDirectory({ ...stores, ended: endedAccess }),
  auth: {
    mode: 'none',
    trustedProxies: [],
    identityHeaders: 'x-forwarded',
    allowUnauthenticatedNetwork: false,
    oidc: null,
  },
  documents: null,
  schedules: {
    list: async () => [],
    run: async () => Promise.reject(new Error('none')),
    start: () => ({ stop: async () => {} }),
  },
  api: { introspection: false, graphiql: false },
  streamLimits: { connectionsPerClient: 10_000, operationsPerConnection: 100 },
  checks: {},
  metrics: telemetry.http,
  metricsPage: telemetry.page,
  version: 'bench',
  dashboardDir: '/nowhere',
  logger,
});
const { port } = await server.listen('127.0.0.1', 0);
process.send!({ port });
