import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ANSWER_CONFIG, answer, scriptAnswer } from '../crash/answer.ts';
import { INVESTIGATION_CONFIG, investigation, scriptInvestigation } from '../crash/investigation.ts';
import { type Lane, openLanes } from '../crash/lane.ts';
import { cover, type Story } from '../crash/sweep.ts';
import { randomFrom } from '../helpers/random.ts';
import type { ScriptedLlm } from '../helpers/scripted-llm/index.ts';
import { OUTAGES, type OutageKind, outage } from './outages.ts';

/**
 * Makes the database unavailable to a worker in every way, at random moments of investigations and answers,
 * for less and for more than a lease. All investigations and answers must end, nothing may happen twice, and
 * the worker must survive. `npm run test:outage` tries 40 moments with outages of up to two minutes.
 */
const MOMENTS = Number(process.env.OUTAGE_MOMENTS ?? 8);
const LONGEST_S = Number(process.env.OUTAGE_LONGEST ?? 7);
const LEASES = (process.env.OUTAGE_LEASES ?? '5').split(',').map(Number);
const SEED = Number(process.env.OUTAGE_SEED ?? 1);

const DURATIONS_S = LONGEST_S > 10 ? [1, 10, 45, 120].filter((s) => s <= LONGEST_S) : [1, LONGEST_S];
/** Kinds of outages to run: those whose name contains OUTAGE_KINDS, or all. */
const KINDS = (Object.keys(OUTAGES) as OutageKind[]).filter((kind) =>
  kind.includes(process.env.OUTAGE_KINDS ?? ''),
);

/** Time (ms) after an outage within which all work must have ended. */
const AFTERWARDS_MS = 120_000;

/**
 * Approximate number of writes of each story. If a story ends before the chosen write, an earlier write is
 * chosen.
 */
const WRITES = { investigation: 160, answer: 35 };

interface Moment {
  kind: OutageKind;
  seconds: number;
  place: number;
}

function momentsOf(writes: number, random: () => number): Moment[] {
  return Array.from({ length: MOMENTS }, (_, n) => ({
    kind: KINDS[n % KINDS.length]!,
    seconds: DURATIONS_S[(n + Math.floor(n / KINDS.length)) % DURATIONS_S.length]!,
    place: 1 + Math.floor(random() * writes),
  }));
}

let lanes: Lane[] = [];
const close = () => Promise.all(lanes.splice(0).map((lane) => lane.stop()));

const STORIES: [name: keyof typeof WRITES, Story, object, (llm: ScriptedLlm) => void][] = [
  ['investigation', investigation, INVESTIGATION_CONFIG, scriptInvestigation],
  ['answer', answer, ANSWER_CONFIG, scriptAnswer],
];

const timeout = MOMENTS * (LONGEST_S * 1000 + 60_000) + AFTERWARDS_MS;

describe.each(LEASES)('with a lease of %i s', (lease) => {
  describe.each(STORIES)('the database of the worker of an %s', (name, story, config, script) => {
    beforeAll(async () => {
      const queue = { lease_duration: `${lease}s`, heartbeat_interval: `${lease / 5}s`, max_attempts: 3 };
      lanes = await openLanes({ ...config, proxied: true, queue });
      for (const { cluster } of lanes) script(cluster.llm);
    }, 120_000);
    afterAll(close, 120_000);

    test('is unavailable at any moment, for a while', { timeout }, async () => {
      const waiting = momentsOf(WRITES[name], randomFrom(SEED));
      const done: string[] = [];
      await Promise.all(
        lanes.map(async (lane) => {
          for (let moment = waiting.shift(); moment; moment = waiting.shift()) {
            const { kind, seconds, place } = moment;
            const limitMs = seconds * 1000 + AFTERWARDS_MS;
            const begun = performance.now();
            const isReached = await cover(lane, story, outage(kind, seconds * 1000), place, limitMs);
            const took = ((performance.now() - begun) / 1000).toFixed(0);
            if (isReached) done.push(`${kind} ${seconds} s at write ${place}: ${took} s`);
            else waiting.push({ ...moment, place: Math.ceil(place * 0.7) });
          }
        }),
      );
      process.stdout.write(`${name}, lease ${lease} s: ${done.join('; ')}\n`);
      expect(done).toHaveLength(MOMENTS);
    });
  });
});
