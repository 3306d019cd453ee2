import { rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { endAnnouncers } from '../crash/disturbances.ts';
import type { Lane } from '../crash/lane.ts';
import type { Disturbance } from '../crash/sweep.ts';

/** Says in a connection's first message that it is one of those that announce: no others have this setting. */
const ANNOUNCERS = 'synchronous_commit=off';

/** Milliseconds between two ends of an announcer's connection: time enough to make a new one. */
const KILL_MS = 100;

/** What can happen between a worker and its database; each resolves when it has begun, and returns how to end it. */
export const OUTAGES = {
  /** Nobody listens. */
  refused: async (lane) => {
    await lane.proxy.set('refuse');
    return () => lane.proxy.set('pass');
  },
  /** Packets vanish, and no connection says so. */
  dead: async (lane) => {
    await lane.proxy.set('dead');
    return () => lane.proxy.set('pass');
  },
  /** Every packet takes 2 s. */
  slow: async (lane) => {
    await lane.proxy.set({ slowMs: 2_000 });
    return () => lane.proxy.set('pass');
  },
  /** Connections end, and the database's name cannot be looked up. */
  'name not found': async (lane) => {
    await writeFile(lane.nameOutage, '');
    await lane.proxy.set('cut');
    return () => rm(lane.nameOutage);
  },
  /** Connections end, and the server takes no new ones. */
  'too many clients': async (lane) => {
    await lane.proxy.set('refuse'); // ends those that are open
    await lane.proxy.set({ reject: '53300', message: 'sorry, too many clients already' });
    return () => lane.proxy.set('pass');
  },
  /** What announces loses its connection, again and again; all else works. */
  'announcer killed': async (lane) => {
    const over = new AbortController();
    const killing = (async () => {
      let killed = 0;
      for (; !over.signal.aborted; await delay(KILL_MS)) killed += await endAnnouncers(lane);
      return killed;
    })();
    return async () => {
      over.abort();
      expect(await killing).toBeGreaterThan(0);
    };
  },
  /** What is announced stays on the way, and so do the answers; all else works. */
  'announcer frozen': async (lane) => {
    await lane.proxy.set('held', ANNOUNCERS);
    return () => lane.proxy.set('pass');
  },
  /** Connections end, and the new ones come to a standby. */
  'read only': async (lane) => {
    const { sql } = lane.cluster;
    const { rows } = await sql.query<{ name: string }>('select current_database() as name');
    const setting = `alter database ${rows[0]!.name} set default_transaction_read_only`;
    await sql.query(`${setting} = on`);
    await lane.proxy.set('cut');
    return async () => {
      await sql.query('set default_transaction_read_only = off'); // ours may be a new connection
      await sql.query(`${setting} = off`);
      await lane.proxy.set('cut'); // the standby is no more
    };
  },
} satisfies Record<string, (lane: Lane) => Promise<() => Promise<void>>>;

export type OutageKind = keyof typeof OUTAGES;

/** The outage begins while a write is under way, which is committed in it, and lasts so many milliseconds. */
export function outage(kind: OutageKind, lastsMs: number): Disturbance {
  return {
    workers: 1,
    async strike(lane, _worker, gate) {
      const end = await OUTAGES[kind](lane);
      await gate.open();
      await delay(lastsMs);
      await end();
      return async () => expect(lane.ended).toEqual([]);
    },
  };
}
