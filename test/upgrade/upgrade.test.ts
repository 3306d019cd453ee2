import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrate } from '../../src/start/wiring/app.ts';
import { followThrough } from '../faults/follow.ts';
import { expectSame, readStored } from '../faults/stored.ts';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { askQuestion, waitForStageEnd } from '../helpers/chat.ts';
import { type Followed, newFollower } from '../helpers/follower.ts';
import { randomFrom } from '../helpers/random.ts';
import { type ScriptedResponse, toolCall } from '../helpers/scripted-llm/index.ts';
import { oldVersion, whyNoOldVersion } from './old-version.ts';
import { type SideBySide, startSideBySide } from './side-by-side.ts';

/**
 * Tests processes of an earlier and the current version that share one database. Sessions move between them,
 * and viewers of either version receive every event exactly once. `npm run test:upgrade` names the earlier
 * version.
 */
const FROM = process.env.UPGRADE_FROM;
const WHY_NOT = whyNoOldVersion(FROM);

const LONG = { timeout: 120_000, interval: 100 };
const QUESTION = 'Which directory?';
/** Probability that a follower's connection is cut after an item. */
const CUT = 0.005;

let system: SideBySide;
let over = false;
beforeAll(async () => {
  if (WHY_NOT !== null) return;
  system = await startSideBySide(await oldVersion(FROM!));
}, 600_000);
afterAll(() => system?.stop(), 60_000);

/**
 * Scripts a model that thinks, writes and calls `note` repeatedly until the test ends. An alert titled
 * "Brief" ends at once.
 */
const answer: ScriptedResponse = ({ tools, messages }) => {
  if (tools.length === 0) return { text: ['In short: ', 'it held.'] };
  if (messages.at(-1)!.content.includes(QUESTION))
    return [{ thinking: 'Hm.' }, { text: ['It is ', '/var.'] }];
  const name = /(?:Upgrade|Brief) \d+/.exec(messages[1]!.content)![0];
  if (name.startsWith('Brief')) return { text: ['The disk ', 'is full.'] };
  const turn = messages.length;
  const words = Array.from({ length: 20 }, (_, n) => `${turn}.${n} größer 🚨 磁盘 ${turn * 7919 + n}\n`);
  const slowly = words.flatMap((text) => [{ text }, { waitMs: 30 }]);
  if (over) return [...slowly.slice(0, 10), { text: 'Done.' }];
  return [
    { thinking: [`${turn} thinks `, 'a little'] },
    ...slowly,
    toolCall('tools.note', { text: `${name}, ${turn}` }),
  ];
};

interface Watched {
  id: string;
  known: Followed;
  ended: Promise<void>;
}

describe.skipIf(WHY_NOT !== null)(
  `an upgrade from ${FROM} (skipped when ${WHY_NOT ?? 'it is not there'})`,
  () => {
    const random = randomFrom(1);
    const watched: Watched[] = [];
    function watch(id: string, url: string): void {
      for (const over of ['websocket', 'sse'] as const) {
        const known = newFollower();
        const cut = () => over === 'sse' && random() < CUT;
        const isEnd = (status: string) => ENDED.has(status);
        const ended = followThrough(known, over, { sessionId: id, url: () => url, isEnd, cut });
        watched.push({ id, known, ended });
      }
    }
    const submit = (api: ApiClient, from: number, count: number) =>
      Promise.all(Array.from({ length: count }, (_, n) => api.submit(`Upgrade ${from + n}`)));

    /** Resolves when every watched session has ended or published more than ten further events. */
    async function progress(): Promise<void> {
      const before = watched.map(({ known }) => known.types.length);
      const isFurther = ({ known }: Watched, n: number) =>
        known.ended || known.types.length > before[n]! + 10;
      await expect.poll(() => watched.every(isFurther), LONG).toBe(true);
    }
    const keyOf = (id: string) => Buffer.from(id, 'base64').toString().split(':')[1]!;
    /** Returns the worker of each running session. */
    async function runs(): Promise<Map<string, string>> {
      const { rows } = await system.sql.query<{ id: string; worker: string }>(
        `select id, worker_id as worker from alert_sessions where status = 'IN_PROGRESS'`,
      );
      return new Map(rows.map(({ id, worker }) => [id, worker]));
    }
    const workers = async () => new Set((await runs()).values());
    async function cancel(api: ApiClient, id: string): Promise<void> {
      const ended = api.waitFor(id, ({ status }) => ENDED.has(status));
      await api.query('mutation ($id: ID!) { cancelSession(id: $id) { __typename } }', { id });
      expect(await ended).toMatchObject({ status: 'CANCELLED' });
    }

    test('neither loses nor repeats events for sessions and viewers', {
      timeout: 900_000,
    }, async () => {
      system.llm.otherwise(answer);
      const old = await system.old.startApi();
      const oldWorker = await system.old.startWorker();
      const brief = await old.api.submit('Brief 1');
      await old.api.waitFor(brief, ({ status }) => status === 'COMPLETED');
      const first = await submit(old.api, 1, 4);
      for (const id of first) watch(id, old.url);
      await progress();

      await migrate(system.databaseUrl, pino({ level: 'silent' }));
      await progress();
      const [oldName] = await workers();

      const now = await system.new.startApi();
      const newWorker = await system.new.startWorker();
      for (const id of first) watch(id, now.url);
      const later = [...(await submit(now.api, 5, 4)), ...(await submit(old.api, 9, 2))];
      for (const id of later) for (const url of [old.url, now.url]) watch(id, url);
      await expect.poll(async () => (await workers()).size, LONG).toBe(2);
      await progress();

      for (const api of [old.api, now.api])
        expect(await waitForStageEnd(api, brief, await askQuestion(api, brief, QUESTION))).toBe('COMPLETED');

      // A cancel request through one version reaches a run of the other version.
      const isOld = await runs();
      const ofNew = later.find((id) => (isOld.get(keyOf(id)) ?? oldName) !== oldName)!;
      const cancelled = [first[0]!, ofNew];
      await cancel(now.api, first[0]!);
      await cancel(old.api, ofNew);

      // A worker of the old version resumes the new version's sessions, then hands all of its sessions over.
      const left = () => [...first, ...later].filter((id) => !cancelled.includes(id));
      const mineBefore = later.filter((id) => isOld.get(keyOf(id)) !== oldName && !cancelled.includes(id));
      await newWorker.end('SIGKILL');
      const takenOver = async () => {
        const now = await runs();
        return mineBefore.some((id) => now.get(keyOf(id)) === oldName);
      };
      await expect.poll(takenOver, LONG).toBe(true);
      const [another] = await Promise.all([system.new.startWorker(), progress()]);
      await oldWorker.end('SIGTERM');
      const yetAnother = await system.new.startWorker();
      await expect.poll(async () => (await runs()).size, LONG).toBe(left().length);
      await progress();
      over = true;
      await Promise.all(watched.map(({ ended }) => ended));
      expect([another, yetAnother].map(({ child }) => child.exitCode)).toEqual([null, null]);

      for (const id of [...first, ...later]) {
        const stored = await readStored(now.api, system.sql, id);
        expect(stored.status).toBe(cancelled.includes(id) ? 'CANCELLED' : 'COMPLETED');
        // A viewer of the old version sees the same events.
        expect(await readStored(apiClient(old.url), system.sql, id)).toEqual(stored);
        const followers = watched.filter((each) => each.id === id);
        expect(followers).toHaveLength(4);
        for (const { known } of followers) expectSame(known, stored);
        await expectNothingTwice(now.api, id);
      }
      const notes = await system.notes();
      expect(new Set(notes).size).toBe(notes.length);
    });

    async function expectNothingTwice(api: ApiClient, id: string): Promise<void> {
      const { session } = await api.query<{ session: Conversations }>(
        `query ($id: ID!) { session(id: $id) { timeline { sequenceNumber }
         stages { executions { messages { sequenceNumber role toolCallId toolCalls { id } } } } } }`,
        { id },
      );
      const places = session.timeline.map(({ sequenceNumber }) => sequenceNumber);
      expect(places).toEqual(places.map((_, n) => n + 1));
      for (const { messages } of session.stages.flatMap(({ executions }) => executions)) {
        expect(messages.map(({ sequenceNumber }) => sequenceNumber)).toEqual(messages.map((_, n) => n + 1));
        const calls = messages.flatMap(({ toolCalls }) => toolCalls.map((call) => call.id));
        const results = messages.flatMap(({ toolCallId }) => toolCallId ?? []);
        expect(new Set(calls).size).toBe(calls.length);
        expect(new Set(results).size).toBe(results.length);
        expect(calls).toEqual(expect.arrayContaining(results));
      }
    }
  },
);

interface Conversations {
  timeline: { sequenceNumber: number }[];
  stages: {
    executions: {
      messages: { sequenceNumber: number; toolCallId: string | null; toolCalls: { id: string }[] }[];
    }[];
  }[];
}
