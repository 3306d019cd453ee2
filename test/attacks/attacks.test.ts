import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ATTACKS, type Attack } from './attacks.ts';
import { type Prey, startTarget } from './target.ts';

/**
 * Small requests of attackers that would harm every client, from 16 clients at once against a whole
 * installation. The installation must survive in bounded memory, answer other clients and complete its
 * investigations. `npm run test:attacks` runs each attack for a minute.
 */
const SECONDS = Number(process.env.ATTACK_SECONDS ?? 2);
const CLIENTS = 16;

/**
 * Exact limits need an idle machine. While other tests run, only bounded memory and the answer itself can be
 * asserted.
 */
const IS_ALONE = SECONDS >= 30;
const MAX_MEMORY_MIB = IS_ALONE ? 600 : 1000;
const MAX_FIRST_PAGE_MS = IS_ALONE ? 2_000 : 20_000;

/** Interval (ms) between two checks by another client. */
const LOOK_MS = 250;

let target: Prey;
beforeAll(async () => {
  target = await startTarget();
}, 120_000);
afterAll(() => target?.stop());

interface Seen {
  requests: number;
  health: Set<number>;
  firstPages: number[];
}

async function under(attack: Attack): Promise<Seen> {
  const seen: Seen = { requests: 0, health: new Set(), firstPages: [] };
  const over = AbortSignal.timeout(SECONDS * 1000);
  const client = async (_: unknown, index: number) => {
    while (!over.aborted) {
      // The server refused or cut off the attacker, or the attack ended.
      await attack(target, over, `attacker ${index}`).catch(() => delay(20));
      seen.requests += 1;
    }
  };
  const look = async () => {
    while (!over.aborted) {
      seen.health.add(await target.health());
      seen.firstPages.push(await target.firstPage());
      await delay(LOOK_MS);
    }
  };
  await Promise.all([look(), ...Array.from({ length: CLIENTS }, client)]);
  return seen;
}

describe('an attack with', () => {
  test.each(Object.entries(ATTACKS))(
    '%s harms nobody',
    { timeout: SECONDS * 1000 + 120_000 },
    async (name, attack) => {
      const gate = `${name} ${SECONDS}`;
      const { ended } = await target.investigate(gate);
      const opened = delay(SECONDS * 500).then(() => target.open(gate));
      const { requests, health, firstPages } = await under(attack);
      await opened;
      await target.clear();
      const [status, memory] = [await ended, await target.peakMemory()];
      const slowest = Math.round(Math.max(...firstPages));
      process.stdout.write(
        `${name}: ${requests} requests, peak memory so far ${memory} MiB, slowest first page ${slowest} ms\n`,
      );
      expect({ health: [...health], status }).toEqual({ health: [200], status: 'COMPLETED' });
      expect(memory).toBeLessThanOrEqual(MAX_MEMORY_MIB);
      expect(slowest).toBeLessThanOrEqual(MAX_FIRST_PAGE_MS);
    },
  );
});
