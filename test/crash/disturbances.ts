import { expect } from 'vitest';
import type { Lane } from './lane.ts';
import type { Disturbance } from './sweep.ts';

/** All disturbances of a worker or the database at a write. */
export const DISTURBANCES = {
  SIGKILL: {
    workers: 2,
    async strike(lane, worker, gate) {
      await lane.take(worker).end('SIGKILL');
      await gate.open();
    },
  },
  SIGTERM: {
    workers: 2,
    async strike(lane, name, gate) {
      const worker = lane.take(name);
      worker.child.kill('SIGTERM');
      await gate.open();
      await worker.end('SIGTERM');
    },
  },
  /**
   * Freezes the worker until another one has finished its work. When it continues, all its writes must be
   * fenced.
   */
  SIGSTOP: {
    workers: 2,
    async strike(lane, name, gate) {
      const worker = lane.take(name);
      worker.child.kill('SIGSTOP');
      await gate.open();
      return async (run) => {
        const before = await run.read();
        worker.child.kill('SIGCONT');
        await worker.end('SIGTERM');
        expect(await run.read()).toEqual(before);
      };
    },
  },
  'connections cut': {
    workers: 1,
    async strike(lane, _worker, gate) {
      await lane.cluster.sql.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name like 'tarsy-%'`,
      );
      await gate.open();
    },
  },
  /**
   * Ends the announcing connections just before the write commits. Workers announce stored events on separate
   * connections.
   */
  'announcers killed': {
    workers: 1,
    async strike(lane, _worker, gate) {
      await endAnnouncers(lane);
      await gate.open();
    },
  },
  'PostgreSQL restarted': {
    workers: 1,
    async strike(lane, _worker, gate) {
      await lane.restartDatabase();
      await gate.open();
    },
  },
} satisfies Record<string, Disturbance>;

/**
 * Ends the connections on which processes announce stored events. @returns the number of ended connections
 */
export async function endAnnouncers({ cluster }: Pick<Lane, 'cluster'>): Promise<number> {
  const { rowCount } = await cluster.sql.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and query like '%pg_notify(c, p)%' and pid <> pg_backend_pid()`,
  );
  return rowCount ?? 0;
}
