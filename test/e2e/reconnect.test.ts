import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { testConfig, writeConfig } from '../helpers/config.ts';
import { follow, newFollower } from '../helpers/follower.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/postgres.ts';
import { startProcess, type TarsyProcess } from '../helpers/process.ts';
import { randomFrom } from '../helpers/random.ts';
import { type ScriptedLlm, startScriptedLlm, toolCall } from '../helpers/scripted-llm/index.ts';

let llm: ScriptedLlm;
let database: TestDatabase;
let server: TarsyProcess;
let worker: TarsyProcess;
let api: ApiClient;

beforeAll(async () => {
  [llm, database] = await Promise.all([startScriptedLlm(), createTestDatabase()]);
  const env = {
    DATABASE_URL: database.url,
    LLM_SERVICE_ADDR: llm.address,
    CONFIG_DIR: await writeConfig(testConfig()),
  };
  [server, worker] = await Promise.all([startProcess('api', env), startProcess('worker', env)]);
  api = apiClient(server.url!);
});
afterAll(async () => {
  await worker.end('SIGTERM');
  await server.end('SIGTERM');
  await llm.close();
  await database.drop();
});

/**
 * A text longer than one notification. Words do not repeat, because a repetition would count as a model loop.
 */
const LONG = Array.from({ length: 600 }, (_, n) => n * 7919).join(' ');

/** Pieces that make offsets difficult: astral characters, split surrogate pairs, long bursts. */
function awkwardPieces(random: () => number, count: number): string[] {
  const alphabet = ['word ', 'größer ', '磁盘 ', '🚨', '👩‍🚒 ', '\n', '\\"\u0001', LONG, 'é\u0301'];
  return Array.from({ length: count }, () => alphabet[Math.floor(random() * alphabet.length)]!);
}

test.each([1, 2, 3, 4])(
  'a client that is cut off at random points loses and repeats nothing (seed %i)',
  async (seed) => {
    const random = randomFrom(seed);
    const timed = (pieces: string[]) =>
      pieces.flatMap((text) => [{ text }, { waitMs: Math.floor(random() * 6) }]);
    const thoughts = awkwardPieces(random, 40);
    const analysis = awkwardPieces(random, 120);
    const gate = `seed ${seed}`;
    llm.script(
      [
        { gate },
        { thinking: thoughts },
        ...timed(awkwardPieces(random, 30)),
        toolCall('tools.count_lines', { n: 50 }),
      ],
      [{ thinking: awkwardPieces(random, 20) }, ...timed(analysis)],
      timed(awkwardPieces(random, 10)),
    );
    const id = await api.submit(`Alert ${seed}`);

    const steady = newFollower();
    const cutOff = newFollower();
    const isEnd = (status: string) => ENDED.has(status);
    await Promise.all([
      // The model begins once this client follows, so that all arrives live.
      follow(api, id, steady, { isEnd, onItem: (type) => type === 'CaughtUp' && llm.open(gate) }),
      (async () => {
        while (!cutOff.ended) await follow(api, id, cutOff, { isEnd, cut: () => random() < 0.15 });
      })(),
    ]);

    expect(cutOff.connections).toBeGreaterThan(3);
    expect(new Set(steady.cursors).size).toBe(steady.cursors.length);
    expect(cutOff.cursors).toEqual(steady.cursors);

    const { session } = await api.query<{ session: { finalAnalysis: string; timeline: StoredEvent[] } }>(
      `query ($id: ID!) { session(id: $id) { finalAnalysis timeline { id type content } } }`,
      { id },
    );
    expect(session.finalAnalysis).toBe(analysis.join(''));
    expect(session.timeline[0]?.content).toBe(thoughts.join(''));
    for (const { id: eventId, type, content } of session.timeline) {
      const watched = steady.texts.get(eventId)!;
      expect(watched.final).toEqual({ content, type });
      if (type !== 'LLM_TOOL_CALL' && watched.watchedFromStart) expect(tiled(watched.pieces)).toBe(content);

      const text = cutOff.texts.get(eventId)!;
      expect(text.final).toEqual({ content, type });
      for (const { offset, delta } of text.pieces)
        expect(content.slice(offset, offset + delta.length)).toBe(delta);
    }
    expect(steady.types.filter((type) => type === 'CaughtUp')).toHaveLength(1);
    expect(steady.types.filter((type) => type === 'StreamChunk').length).toBeGreaterThan(10);
  },
);

interface StoredEvent {
  id: string;
  type: string;
  content: string;
}

/** Joins the pieces. Each must begin where the previous one ended. */
function tiled(pieces: readonly { offset: number; delta: string }[]): string {
  let text = '';
  for (const { offset, delta } of pieces) {
    expect(offset).toBe(text.length);
    text += delta;
  }
  return text;
}
