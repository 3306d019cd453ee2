import { GraphQLError } from 'graphql';
import type { Queryable } from '../../db/queryable.ts';
import type { ReadReplica } from '../../db/read-replica.ts';

/** The server that answers the reads of one operation. */
export interface ChosenServer {
  /** Resolves true if the replica answers. Decides at the first call. */
  isReplica(): Promise<boolean>;
  /** Makes the primary answer the remaining reads. */
  leaveReplica(): void;
  /** Reports that a read failed on the replica only. */
  failed(error: unknown): void;
}

type Replica = Pick<ReadReplica, 'isCurrent' | 'failed'>;

/** Chooses once for an operation, so that none of its reads sees an older state than another. */
export function chooseServer(replica: Replica): ChosenServer {
  let chosen: Promise<boolean> | null = null;
  return {
    isReplica() {
      chosen ??= replica.isCurrent();
      return chosen;
    },
    leaveReplica() {
      chosen = Promise.resolve(false);
    },
    failed: replica.failed,
  };
}

/**
 * Chooses for each statement of a search, because the search stores text in the index first. If the primary answers a
 * statement, it also answers the remaining reads of the operation.
 */
export function chooseServerOfSearch(replica: Replica, ofOperation: ChosenServer): ChosenServer {
  return {
    ...ofOperation,
    async isReplica() {
      const isReplica = (await ofOperation.isReplica()) && (await replica.isCurrent());
      if (!isReplica) ofOperation.leaveReplica();
      return isReplica;
    },
  };
}

/**
 * Reads from the chosen server. A read that fails on the replica is repeated once on the primary, whatever the error. The
 * replica is to blame only if the primary succeeds. Limits of the API, such as ANSWER_TOO_LARGE, are not repeated.
 */
export function readsOfEither(options: {
  primary: Queryable;
  replica: Queryable;
  server: ChosenServer;
}): Queryable {
  const { primary, replica, server } = options;
  return {
    async query<T extends object>(statement: string | { name: string; text: string }, values?: unknown[]) {
      if (!(await server.isReplica())) return primary.query<T>(statement, values);
      try {
        return await replica.query<T>(statement, values);
      } catch (error) {
        if (error instanceof GraphQLError) throw error;
        server.leaveReplica();
        const result = await primary.query<T>(statement, values);
        server.failed(error);
        return result;
      }
    },
  };
}
