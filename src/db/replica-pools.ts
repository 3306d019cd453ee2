import type { Socket } from 'node:net';
import type pg from 'pg';
import type { Logger } from 'pino';
import { openReadPools, type PoolTarget, type ReadPools } from './pool.ts';
import { SERVER } from './replica-position.ts';

/** Milliseconds to wait for a connection to the replica. Short, because the primary can answer instead. */
const CONNECT_TIMEOUT_MS = 1_000;

/** Pools of reads on the replica. Their connections lead to the server that was checked last, or are refused. */
export interface ReplicaPools extends ReadPools {
  /** Names the server that was checked. Closes all connections if it is another one than before. */
  expect(server: string): void;
  /** Closes all connections at once, so that their statements fail. */
  drop(): void;
}

/**
 * Opens the pools of reads on the replica. An address may lead to several servers, or to another one after a restart. So
 * each new connection names its server first.
 */
export function openReplicaPools(target: PoolTarget, logger: Logger): ReplicaPools {
  let expected: string | null = null;
  const clients = new Set<pg.PoolClient>();
  const verify = async (client: pg.PoolClient) => {
    const { rows } = await client.query<{ server: string }>(SERVER);
    if (rows[0]?.server !== expected)
      throw new Error('the connection leads to another server than the checked one');
  };
  const pools = openReadPools(target, logger, { connectTimeoutMs: CONNECT_TIMEOUT_MS, verify });
  for (const pool of [pools.reads, pools.searches]) {
    pool.on('connect', (client) => clients.add(client));
    pool.on('remove', (client) => clients.delete(client));
  }
  const drop = () => {
    for (const client of clients)
      socketOf(client).destroy(new Error('the read replica is not used any more'));
  };
  return {
    ...pools,
    expect(server) {
      if (server !== expected) drop();
      expected = server;
    },
    drop,
  };
}

/** Returns the socket of a client, which the types of pg lack. */
function socketOf(client: pg.PoolClient): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}
