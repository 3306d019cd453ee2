import pg, { type Pool } from 'pg';
import { OutOfRoomError, queryBounded } from '../../db/bounded-query.ts';
import type { Queryable } from '../../engine/events/log.ts';
import type { AnswerAccount } from '../../schema/answer.ts';
import { busy, tookTooLong } from '../../schema/errors.ts';

/** Connections that one answer uses at once: those with many parts leave some to the others. */
const CONNECTIONS_OF_ONE = 3;

/** PostgreSQL's code of a statement that was stopped, by its time limit for one. */
const QUERY_CANCELED = '57014';

/** What a pool's statements are, for people, and how many may wait for a connection of it. */
export interface ReadKind {
  readonly what: string;
  readonly maxWaiting: number;
}

/** The pool as the reads of one answer see it: what they read is counted, and how much they read at once is bounded. */
export function boundedReads(pool: Pool, answer: AnswerAccount, kind: ReadKind): Queryable {
  const turns = createTurns(CONNECTIONS_OF_ONE);

  async function attempt<T extends object>(config: pg.QueryConfig): Promise<pg.QueryResult<T> | null> {
    if (answer.error !== null) throw answer.error;
    if (pool.waitingCount >= kind.maxWaiting) throw tooMany(kind);
    let bytes = 0;
    const hasRoom = (more: number) => {
      if (!answer.read(more)) return false;
      bytes += more;
      return true;
    };
    try {
      return await queryBounded<T>(pool, config, hasRoom);
    } catch (error) {
      answer.giveBack(bytes);
      if (error instanceof OutOfRoomError) return null;
      throw declared(error, kind);
    }
  }

  return {
    async query<T extends object>(statement: string | { name: string; text: string }, values?: unknown[]) {
      const config = { ...(typeof statement === 'string' ? { text: statement } : statement), values };
      for (;;) {
        const result = await turns(() => attempt<T>(config as pg.QueryConfig));
        if (result !== null) return result;
        await answer.enlarge(); // without a connection in hand
      }
    },
  };
}

/** Runs so many functions at once, the others after them. */
function createTurns(max: number) {
  let free = max;
  const waiting: (() => void)[] = [];
  return async <T>(run: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}

function declared(error: unknown, kind: ReadKind): unknown {
  if (error instanceof pg.DatabaseError && error.code === QUERY_CANCELED) return tookTooLong(kind.what);
  // The pool has no other sign for it.
  if (error instanceof Error && error.message === 'timeout exceeded when trying to connect')
    return tooMany(kind);
  return error;
}

const tooMany = ({ what }: ReadKind) => busy(`${what} has to wait too long behind others.`);
