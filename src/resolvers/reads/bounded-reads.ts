import pg, { type Pool } from 'pg';
import { OutOfRoomError, queryBounded } from '../../db/bounded-query.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { AnswerAccount } from '../../schema/context.ts';
import { busy, tookTooLong } from '../../schema/errors.ts';
import { createTurns, type Turns } from './turns.ts';

/** Largest number of connections that one response uses at once, so that other responses get connections too. */
const CONNECTIONS_OF_ONE = 3;

const QUERY_CANCELED = '57014';

const WAIT_MS = 10_000;

export interface ReadPool {
  readonly pool: Pick<Pool, 'connect'>;
  /** Subject of error messages, such as `The search`. */
  readonly what: string;
  readonly turns: Turns;
}

export function createReadPool(pool: Pool, what: string, maxWaiting: number): ReadPool {
  const tooMany = () => busy(`${what} has to wait too long behind others.`);
  return {
    pool,
    what,
    turns: createTurns({ atOnce: pool.options.max, maxWaiting, waitMs: WAIT_MS, tooMany }),
  };
}

/** Returns a pool whose queries charge their bytes to `answer` and take turns with those of other clients. */
export function boundedReads(
  { pool, what, turns: ofAll }: ReadPool,
  answer: AnswerAccount,
  client: string,
): Queryable {
  const ofAnswer = createTurns({ atOnce: CONNECTIONS_OF_ONE });

  async function attempt<T extends object>(config: pg.QueryConfig): Promise<pg.QueryResult<T> | null> {
    if (answer.error !== null) throw answer.error;
    let bytes = 0;
    const hasRoom = (more: number) => {
      if (!answer.read(more)) return false;
      bytes += more;
      return true;
    };
    const leave = await ofAll.take(client);
    try {
      return await queryBounded<T>(pool, config, hasRoom);
    } catch (error) {
      answer.giveBack(bytes);
      if (error instanceof OutOfRoomError) return null;
      throw declared(error, what);
    } finally {
      leave();
    }
  }

  return {
    async query<T extends object>(statement: string | { name: string; text: string }, values?: unknown[]) {
      const config = { ...(typeof statement === 'string' ? { text: statement } : statement), values };
      for (;;) {
        const leave = await ofAnswer.take();
        const result = await attempt<T>(config as pg.QueryConfig).finally(leave);
        if (result !== null) return result;
        await answer.enlarge(); // waits without holding a connection
      }
    },
  };
}

function declared(error: unknown, what: string): unknown {
  return error instanceof pg.DatabaseError && error.code === QUERY_CANCELED ? tookTooLong(what) : error;
}
