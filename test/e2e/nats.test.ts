import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectSame, readStored } from '../faults/stored.ts';
import { apiClient, ENDED } from '../helpers/api.ts';
import { testConfig, writeConfig } from '../helpers/config.ts';
import { type Followed, follow, newFollower } from '../helpers/follower.ts';
import { type FreezingProxy, openFreezingProxy } from '../helpers/freezing-proxy.ts';
import { NATS_SERVER, type NatsServer, startNatsServer } from '../helpers/nats-server.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/postgres.ts';
import { startProcess, type TarsyProcess } from '../helpers/process.ts';
import { type ScriptedLlm, startScriptedLlm, toolCall } from '../helpers/scripted-llm/index.ts';

const LONG = { timeout: 60_000, interval: 100 };
const SESSIONS = 4;
/** Pieces of each answer, and the pause between two (ms). */
const PIECES = 100;
const PIECE_MS = 40;

/** Pieces of a text that arrives live. */
const LIVE_PIECES = 5;

/** How long NATS is away (ms): longer than silence takes to be noticed. */
const AWAY_MS = 6_000;

let database: TestDatabase;
let llm: ScriptedLlm;
let nats: NatsServer;
let sql: pg.Pool;
/** The way to NATS of each process. */
const ways: FreezingProxy[] = [];
const apis: TarsyProcess[] = [];
const workers: TarsyProcess[] = [];
/** True while models write on and on, so that each disturbance happens during running turns. */
let writing = false;

/** Two API processes and two workers that share a database, each with a way to NATS of its own. */
describe.skipIf(NATS_SERVER === null)('live events over NATS (skipped without nats-server)', () => {
  beforeAll(async () => {
    [database, llm, nats] = await Promise.all([createTestDatabase(), startScriptedLlm(), startNatsServer()]);
    sql = new pg.Pool({ connectionString: database.url, max: 1 });
    await nats.kill(); // NATS is away when the processes start
    const events = { bus: 'nats', nats: { servers: ['{{.NATS_URL}}'] } };
    const queue = { max_concurrent_sessions: 20 };
    const configDir = await writeConfig({
      ...testConfig({ queue, defaults: { max_iterations: 200 } }),
      events,
    });
    for (const role of ['api', 'worker', 'api', 'worker'] as const) {
      const way = await openFreezingProxy(nats.url);
      ways.push(way);
      const started = await startProcess(role, {
        ...{ DATABASE_URL: database.url, LLM_SERVICE_ADDR: llm.address, CONFIG_DIR: configDir },
        NATS_URL: way.url,
      });
      (role === 'api' ? apis : workers).push(started);
    }
    llm.otherwise((request) => {
      if (request.tools.length === 0) return { text: 'In short: it held.' };
      const turn = request.messages.length;
      const pieces = Array.from({ length: PIECES }, (_, n) => [
        { text: `${turn}.${n} größer 🚨 磁盘 ${turn * 7919 + n}\n` },
        { waitMs: PIECE_MS },
      ]).flat();
      return writing ? [...pieces, toolCall('tools.echo', { text: `${turn}` })] : pieces;
    });
  }, 120_000);
  afterAll(async () => {
    await llm?.close();
    for (const each of [...apis, ...workers]) await each.end('SIGKILL');
    await Promise.all(ways.map((way) => way.close()));
    await sql?.end();
    await nats?.stop();
    await database?.drop();
  });

  const disturbances: [name: string, disturb: () => Promise<unknown>, undo: () => unknown][] = [
    ['NATS is away from the start', () => nats.kill(), () => nats.start()],
    ['nothing happens', async () => {}, () => {}],
    ['NATS is killed', () => nats.kill(), () => nats.start()],
    ['NATS is frozen', async () => nats.freeze(), () => nats.thaw()],
    ['all connections to NATS are cut', () => all('cut'), () => {}],
    ['only one API process loses NATS, silently', () => ways[0]!.set('dead'), () => ways[0]!.set('pass')],
    ['only one worker loses NATS, silently', () => ways[1]!.set('dead'), () => ways[1]!.set('pass')],
    ['one API process and the other worker are refused', () => each('refuse'), () => each('pass')],
  ];
  const FROM_THE_START = disturbances[0]![0];
  /** Starts NATS, and waits until the API processes use it. */
  async function connected(): Promise<void> {
    await nats.start();
    for (const api of apis) await expect.poll(() => health(api), LONG).toBe(200);
  }
  const all = (mode: 'cut') => Promise.all(ways.map((way) => way.set(mode)));
  const each = (mode: 'refuse' | 'pass') => Promise.all([ways[0]!.set(mode), ways[3]!.set(mode)]);

  test.each(disturbances)(
    'every subscriber gets the stored text while %s',
    async (name, disturb, undo) => {
      if (name !== FROM_THE_START) await connected();
      writing = true;
      const clients = apis.map(({ url }) => apiClient(url!));
      const ids = await Promise.all(
        Array.from({ length: SESSIONS }, (_, n) => clients[0]!.submit(`Alert ${n} while ${name}`)),
      );
      const followers = ids.flatMap((id) => clients.map((api) => ({ id, api, known: newFollower() })));
      const following = followers.map(({ id, api, known }) =>
        follow(api, id, known, { isEnd: (status) => ENDED.has(status) }),
      );
      const streams = ({ known }: { known: Followed }) => known.types.includes('StreamChunk');
      await expect.poll(() => followers.every(streams), LONG).toBe(true);
      await disturb();
      await delay(AWAY_MS);
      const begun = followers.map(({ known }) => new Set(known.texts.keys()));
      // A text that begins now arrives in pieces. Without announcements it would come as a whole at its end.
      const isLive = ({ known }: { known: Followed }, n: number) =>
        [...known.texts].some(([id, { pieces }]) => !begun[n]!.has(id) && pieces.length >= LIVE_PIECES);
      await expect.poll(() => followers.filter((one, n) => !isLive(one, n)).length, LONG).toBe(0);
      await undo();
      writing = false;
      await Promise.all(following);
      for (const { id, api, known } of followers) {
        const stored = await readStored(api, sql, id);
        expect(stored.status).toBe('COMPLETED');
        expectSame(known, stored);
        expectWhole(known);
      }
    },
    180_000,
  );

  test('NATS carries the events again, and what happened is logged, measured and shown', async () => {
    const [api] = apis;
    await connected();
    await expect.poll(() => warningsOf(api!), LONG).toEqual([]);
    await apiClient(api!.url!).submit('Sends notices');
    const metrics = async () => (await fetch(`${api!.url}/metrics`)).text();
    await expect.poll(metrics, LONG).toMatch(/tarsy_notices_sent_total\{bus="nats"\} [1-9]/);
    await nats.kill();
    await expect.poll(() => health(api!), LONG).toMatch(/^503 NATS: /);
    await expect.poll(() => warningsOf(api!), LONG).toEqual(['event_bus']);
    expect(await metrics()).toContain('tarsy_nats_up 0');
    await connected();
    await expect.poll(() => warningsOf(api!), LONG).toEqual([]);
    const log = api!.log.join('\n');
    expect(log).toContain('NATS unavailable, PostgreSQL carries notices');
    expect(log).toContain('NATS connected, it carries notices');
  }, 300_000);
});

/** Expects that the pieces of each text follow each other without a gap or a repetition. */
function expectWhole(known: Followed): void {
  for (const { watchedFromStart, pieces, final } of known.texts.values()) {
    if (!watchedFromStart || pieces.length === 0) continue;
    expect(pieces.map(({ delta }) => delta).join('')).toBe(final!.content.slice(0, lengthOf(pieces)));
    pieces.reduce((end, { offset, delta }) => {
      expect(offset).toBe(end);
      return end + delta.length;
    }, 0);
  }
}

const lengthOf = (pieces: readonly { delta: string }[]): number =>
  pieces.reduce((sum, { delta }) => sum + delta.length, 0);

/** Returns the status of the check; if it fails, with the reason in the log. */
async function health({ url, log }: TarsyProcess): Promise<number | string> {
  const { status } = await fetch(`${url}/health?check=event_bus`);
  return status === 200 ? status : `${status} ${/NATS: [^\\"]*/.exec(log.at(-1) ?? '')?.[0]}`;
}

async function warningsOf({ url }: TarsyProcess): Promise<string[]> {
  const { systemWarnings } = await apiClient(url!).query<{ systemWarnings: { category: string }[] }>(
    '{ systemWarnings { category } }',
  );
  return systemWarnings.map(({ category }) => category);
}
