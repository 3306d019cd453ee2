import { rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { endAnnouncers } from '../crash/disturbances.ts';
import type { Lane } from '../crash/lane.ts';
import type { Disturbance } from '../crash/sweep.ts';

/** Text in the first message of a connection that announces events. No other connection has this setting. */
const ANNOUNCERS = 'synchronous_commit=off';

/** Time (ms) between two cuts of an announcing connection, long enough for a reconnect. */
const KILL_MS = 100;

/**
 * Outages between a worker and its database. Each resolves once it has begun, and returns a function that
 * ends it.
 */
export const OUTAGES = {
  /** Connections are refused. */
  refused: async (lane) => {
    await lane.proxy.set('refuse');
    return () => lane.proxy.set('pass');
  },
  /** Packets are dropped, and neither side learns that its connection is dead. */
  dead: async (lane) => {
    await lane.proxy.set('dead');
    return () => lane.proxy.set('pass');
  },
  /** Every packet takes 2 s. */
  slow: async (lane) => {
    await lane.proxy.set({ slowMs: 2_000 });
    return () => lane.proxy.set('pass');
  },
  /** Connections end, and the database's name does not resolve. */
  'name not found': async (lane) => {
    await writeFile(lane.nameOutage, '');
    await lane.proxy.set('cut');
    return () => rm(lane.nameOutage);
  },
  /** Connections end, and the server refuses new ones. */
  'too many clients': async (lane) => {
    await lane.proxy.set('refuse'); // ends open connections
    await lane.proxy.set({ reject: '53300', message: 'sorry, too many clients already' });
    return () => lane.proxy.set('pass');
  },
  /** The announcing connection is cut repeatedly; all other connections work. */
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
  /**
   * Announcements and the answers to them are held back until the outage ends; all other connections work.
   */
  'announcer frozen': async (lane) => {
    await lane.proxy.set('held', ANNOUNCERS);
    return () => lane.proxy.set('pass');
  },
  /** Connections end, and new ones reach a standby. */
  'read only': async (lane) => {
    const { sql } = lane.cluster;
    const { rows } = await sql.query<{ name: string }>('select current_database() as name');
    const setting = `alter database ${rows[0]!.name} set default_transaction_read_only`;
    await sql.query(`${setting} = on`);
    await lane.proxy.set('cut');
    return async () => {
      // The pool may have opened a new connection meanwhile.
      await sql.query('set default_transaction_read_only = off');
      await sql.query(`${setting} = off`);
      await lane.proxy.set('cut'); // ends the connections to the standby
    };
  },
} satisfies Record<string, (lane: Lane) => Promise<() => Promise<void>>>;

export type OutageKind = keyof typeof OUTAGES;

/** Begins the outage during a write, which commits meanwhile, and ends it after `lastsMs` (ms). */
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
