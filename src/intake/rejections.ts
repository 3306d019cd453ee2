import type { Logger } from 'pino';
import { uuidv7 } from '../common/uuidv7.ts';
import { prepared } from '../db/prepared.ts';
import type { Queryable } from '../db/queryable.ts';

interface Rejection {
  source: string;
  code: string;
  /** The message of the first rejection within the minute. */
  message: string;
}

/**
 * Counts refused deliveries by source, code and minute. Counts that arrive during a write wait for the next write. So a
 * flood costs one statement at a time, and one row a minute for each source and code.
 */
export function createRejections({ db, logger }: { db: Queryable; logger: Logger }) {
  let gathered = new Map<string, Rejection & { count: number }>();
  let storing: Promise<void> | null = null;

  async function store(): Promise<void> {
    while (gathered.size > 0) {
      const rejections = [...gathered.values()];
      gathered = new Map();
      await write(db, rejections).catch((error: unknown) => {
        logger.warn({ err: error, rejections: rejections.length }, 'rejection counts not stored');
      });
    }
  }

  return {
    add(rejection: Rejection): void {
      const key = JSON.stringify([rejection.source, rejection.code]);
      const known = gathered.get(key);
      gathered.set(key, { ...rejection, ...known, count: (known?.count ?? 0) + 1 });
      storing ??= store().finally(() => {
        storing = null;
      });
    },
    /** Resolves when each count added so far is stored, or its write has failed. */
    async flush(): Promise<void> {
      await storing;
    },
  };
}

async function write(db: Queryable, rejections: readonly (Rejection & { count: number })[]): Promise<void> {
  await db.query(
    prepared(`insert into intake_decisions (id, source, outcome, reason, code, minute, count)
     select r.id, r.source, 'REJECTED', r.reason, r.code, date_trunc('minute', now()), r.count
     from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::int[]) as r(id, source, reason, code, count)
     on conflict (source, code, minute) where code is not null do update set count = intake_decisions.count + excluded.count`),
    [
      rejections.map(() => uuidv7()),
      rejections.map(({ source }) => source),
      rejections.map(({ message }) => message),
      rejections.map(({ code }) => code),
      rejections.map(({ count }) => count),
    ],
  );
}
