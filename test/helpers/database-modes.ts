import { type Primary, startStandby } from './standby.ts';

/** True if TARSy's processes reach the test servers through PgBouncer. */
const isPooled = Boolean(process.env.TEST_POOLER);
/** Delay (s) of the read replicas of the test servers; `undefined` if there are none. */
const lagSeconds = process.env.TEST_REPLICA || undefined;

/** True if a mode of the test run is on. */
export const hasModes = isPooled || lagSeconds !== undefined;
/** True if test servers have replicas and need commits on disk, because other commits have no position to replay. */
export const hasReplicas = lagSeconds !== undefined;

/** Connections that PgBouncer opens to each database. */
const POOLED_CONNECTIONS = 20;

/** Variable with the ports of poolers and standbys by the port of their server. Test processes inherit it. */
const WAYS = 'TEST_DATABASE_WAYS';

interface Ways {
  pooler?: string;
  standby?: string;
}

const allWays = (): Record<string, Ways> => JSON.parse(process.env[WAYS] ?? '{}') as Record<string, Ways>;

/** Starts the pooler and the standby of a test server that the modes of the test run ask for. */
export async function openWays(server: Primary): Promise<{ stop(): Promise<void> }> {
  const { port } = new URL(server.url);
  const ways: Ways = {};
  const releases: (() => Promise<void>)[] = [];
  if (isPooled) {
    const { startPooler } = await import('./pooler.ts'); // on demand, because it unpacks PgBouncer
    const pooler = await startPooler(server.url, { connections: POOLED_CONNECTIONS });
    releases.push(pooler.stop);
    ways.pooler = new URL(pooler.urlOf(server.url)).port;
  }
  if (hasReplicas) {
    const standby = await startStandby(server, { recovery_min_apply_delay: `${lagSeconds}s` });
    releases.push(standby.stop);
    ways.standby = new URL(standby.urlOf(server.url)).port;
  }
  process.env[WAYS] = JSON.stringify({ ...allWays(), [port]: ways });
  return {
    async stop() {
      const { [port]: _, ...others } = allWays();
      process.env[WAYS] = JSON.stringify(others);
      for (const release of releases.splice(0)) await release();
    },
  };
}

/**
 * Returns the variables that lead a process to a database as the modes of the test run ask. They are empty without a mode,
 * or if the address is not that of a test server, such as that of a proxy.
 */
export function databaseVariables(databaseUrl: string | undefined): Record<string, string> {
  const ways = hasModes && databaseUrl !== undefined ? allWays()[new URL(databaseUrl).port] : undefined;
  if (databaseUrl === undefined || ways === undefined) return {};
  const at = (port: string) => {
    const url = new URL(databaseUrl);
    url.port = port;
    return url.href;
  };
  return {
    DATABASE_URL: databaseUrl,
    ...(ways.pooler !== undefined && { DATABASE_POOLER_URL: at(ways.pooler) }),
    ...(ways.standby !== undefined && { DATABASE_READ_URL: at(ways.standby) }),
  };
}
