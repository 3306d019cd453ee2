import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { newFollower } from '../helpers/follower.ts';
import { randomFrom } from '../helpers/random.ts';
import { type ScriptedResponse, toolCall } from '../helpers/scripted-llm/index.ts';
import { followThrough } from './follow.ts';
import { expectSame, readStored } from './stored.ts';
import { type System, startSystem } from './system.ts';

/** Duration of the faults (s); `npm run test:faults` uses 60. */
const SECONDS = Number(process.env.FAULT_SECONDS ?? 15);
const SEED = Number(process.env.FAULT_SEED ?? 1);
const SESSIONS = 10;
const SUBSCRIBERS = 50;

/** Longest pause between two faults (ms). */
const PAUSE_MS = 900;

let system: System;
const random = randomFrom(SEED);
let over = false;
beforeAll(async () => {
  system = await startSystem(randomFrom(SEED + 1));
}, 120_000);
afterAll(() => system?.stop(), 60_000);

/** Scripts a model that thinks, writes and uses a tool repeatedly while faults occur, and then answers. */
const answer: ScriptedResponse = (request) => {
  if (request.tools.length === 0) return { text: ['In short: ', 'it held.'] };
  const turn = request.messages.length;
  const words = Array.from({ length: 25 }, (_, n) => `${turn}.${n} größer 🚨 磁盘 ${turn * 7919 + n}\n`);
  const slowly = words.flatMap((text) => [{ text }, { waitMs: 30 }]);
  if (over) return [...slowly.slice(0, 20), { text: 'Done.' }];
  return [
    { thinking: [`${turn} thinks `, 'a little'] },
    ...slowly,
    toolCall('tools.echo', { text: `${turn}` }),
  ];
};

async function breakThings(): Promise<string[]> {
  const until = performance.now() + SECONDS * 1000;
  const names = Object.keys(system.faults);
  const happened: string[] = [];
  while (performance.now() < until) {
    await delay(random() * PAUSE_MS);
    const name = names[Math.floor(random() * names.length)]!;
    // A fault may fail, because the connection that cuts others may be down itself.
    const failed = await system.faults[name]!().then(() => '', String);
    happened.push(failed ? `${name} (${failed})` : name);
  }
  return happened;
}

test(
  'every subscriber ends with the stored state, whatever was cut',
  async () => {
    system.llm.otherwise(answer);
    const api = apiClient(system.url());
    const ids: string[] = [];
    for (let n = 0; n < SESSIONS; n++) ids.push(await api.submit(`Fault ${n}`));
    const followers = Array.from({ length: SUBSCRIBERS }, (_, n) => ({
      id: ids[n % SESSIONS]!,
      known: newFollower(),
      over: n % 3 === 0 ? ('sse' as const) : ('websocket' as const),
    }));
    const following = followers.map(({ id, known, over: transport }) =>
      followThrough(known, transport, {
        sessionId: id,
        url: system.url,
        isEnd: (status) => ENDED.has(status),
        cut: () => random() < 0.01,
      }),
    );
    const happened = await breakThings();
    over = true;
    await Promise.all(following);
    const connections = followers.reduce((sum, { known }) => sum + known.connections, 0);
    process.stdout.write(
      `${happened.length} faults in ${SECONDS} s, ${connections} connections: ${happened.join(', ')}\n`,
    );
    expect(connections).toBeGreaterThan(SUBSCRIBERS);

    for (const id of ids) {
      const stored = await readStored(apiClient(system.url()), system.sql, id);
      expect(ENDED).toContain(stored.status);
      for (const { known } of followers.filter((follower) => follower.id === id)) expectSame(known, stored);
    }
  },
  SECONDS * 1000 + 180_000,
);
