import type { Logger } from 'pino';
import { runPeriodically } from '../common/periodic.ts';
import { prepared } from '../db/prepared.ts';
import type { Queryable } from '../db/queryable.ts';
import type { Identity } from './viewer.ts';

/** Interval (ms) at which each process reads whose access has ended. */
const POLL_MS = 5_000;

/** Knows the users whose access has ended and those who were signed out. */
export interface EndedAccess {
  /** Resolves once the users were read. Rejects if this process has not read them yet and the database is unavailable. */
  known(): Promise<void>;
  /**
   * True if the access of a user has ended, or the user was signed out after their sign-in.
   * @param since time of the sign-in; `null` if it does not count
   */
  isEnded(user: Pick<Identity, 'name' | 'email'>, since: Date | null): boolean;
  /** Reads the users again, after a change by this process. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/** Returns the names that identify a user: name and address in lower case. */
export function namesOf({ name, email }: Pick<Identity, 'name' | 'email'>): string[] {
  return [...new Set([name, email].flatMap((text) => (text === null ? [] : text.toLowerCase())))];
}

/**
 * Returns the SQL condition that the user with these names has no access any more. A user with access under the same name or
 * address wins, so that an employee who returns is not refused because of an old entry.
 * @param names SQL expression for the names, as `namesOf` returns them
 */
export const hasEndedSql = (names: string): string => `(
  exists (select 1 from directory_users u where u.ended_at is not null and u.names && ${names})
  and not exists (select 1 from directory_users u where u.ended_at is null and u.names && ${names}))`;

/** Parameter: $1 time (s) for which a sign-in may last. Reads users with access only if an ended one has the same name. */
const READ = prepared(`
  select names, ended_at is not null as "isEnded", signed_out_at as "signedOutAt" from directory_users u
  where ended_at is not null or signed_out_at > now() - make_interval(secs => $1)
    or exists (select 1 from directory_users e where e.ended_at is not null and e.names && u.names)`);

interface Entry {
  names: readonly string[];
  isEnded: boolean;
  signedOutAt: Date | null;
}

/** @param signInMs longest time for which a sign-in or a connection counts (ms) */
export function createEndedAccess(deps: { db: Queryable; signInMs: number; logger: Logger }): EndedAccess {
  const { db, signInMs, logger } = deps;
  let entries: ReadonlyMap<string, readonly Entry[]> | null = null;
  let reading: Promise<void> = Promise.resolve();

  async function read(): Promise<void> {
    const { rows } = await db.query<Entry>(READ, [signInMs / 1000]);
    const byName = new Map<string, Entry[]>();
    for (const entry of rows)
      for (const name of entry.names) byName.set(name, [...(byName.get(name) ?? []), entry]);
    entries = byName;
  }

  /** Reads after the reads that were begun before, so that an older result never replaces a newer one. */
  function refresh(): Promise<void> {
    reading = reading.catch(() => {}).then(read);
    return reading;
  }

  const polling = runPeriodically(refresh, { task: 'read ended access', everyMs: POLL_MS, logger });
  return {
    async known() {
      if (entries === null) await refresh();
    },
    isEnded(user, since) {
      const found = namesOf(user).flatMap((name) => entries?.get(name) ?? []);
      if (found.some(({ isEnded }) => isEnded) && found.every(({ isEnded }) => isEnded)) return true;
      return since !== null && found.some(({ signedOutAt }) => signedOutAt !== null && signedOutAt >= since);
    },
    refresh,
    close: () => polling.stop(),
  };
}
