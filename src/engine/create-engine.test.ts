import { EventEmitter } from 'node:events';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { chainYaml } from '../../test/fixtures/config/chain-yaml.ts';
import { loadText } from '../../test/fixtures/config/load-text.ts';
import { insertSession } from '../../test/helpers/http-api.ts';
import { openObserver } from '../../test/helpers/observer.ts';
import { createTestPool, type TestPool } from '../../test/helpers/postgres.ts';
import { ShuttingDownError } from '../common/errors.ts';
import { createMasking } from '../masking/masking.ts';
import { createEngine } from './create-engine.ts';
import { createTransaction } from './store/database.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await createTestPool();
});
afterAll(() => pool.drop());

const ROOT = { name: 'root', via: 'PROXY', address: null } as const;
const logger = pino({ level: 'silent' });

/** Creates an engine, and counts its statements by their text. */
async function open() {
  const config = await loadText(chainYaml({}));
  const counts = new Map<string, number>();
  const db = {
    query(statement: { text: string } | string, values?: unknown[]) {
      const text = typeof statement === 'string' ? statement : statement.text;
      counts.set(text, (counts.get(text) ?? 0) + 1);
      return pool.query(statement as string, values);
    },
  };
  const engine = createEngine({
    ...{ db, replayDb: db, transaction: createTransaction(pool, { publish: async () => {} }) },
    ...{ config, masking: createMasking(config, logger), observer: await openObserver(pool), logger },
    ...{ bus: new EventEmitter(), offerSlot: async () => {} },
  } as unknown as Parameters<typeof createEngine>[0]);
  onTestFinished(() => engine.close());
  return { engine, counts };
}

test('refuses alerts, questions, scores and replays once it stops taking alerts', async () => {
  const { engine } = await open();
  const submit = () => engine.submitAlert({ data: 'disk full' }, ROOT);
  expect(await submit()).toMatchObject({ status: 'PENDING', alertType: 't' });
  const session = await insertSession(pool, { status: 'COMPLETED' });
  engine.stopTakingAlerts();
  const replay = { caseId: session, llmProvider: null, runs: 1, suite: null };
  for (const refused of [
    submit,
    () => engine.sendChatMessage(session, { content: 'Why?', id: null }, ROOT),
    () => engine.scoreSession(session, ROOT),
    () => engine.replayCase(replay, ROOT),
  ])
    await expect(refused()).rejects.toBeInstanceOf(ShuttingDownError);
});

test('polls for no subscription once it is closed', { timeout: 60_000 }, async () => {
  const session = await insertSession(pool);
  const [closed, control] = [await open(), await open()];
  for (const { engine } of [closed, control])
    for (const stream of [
      engine.subscribeSession(session, 0),
      engine.subscribeSessions(),
      engine.subscribeApprovals(),
      engine.subscribeSystemState(),
    ])
      onTestFinished(stream.listen(() => {}));
  /** Waits until the engine that stays open has made its four polls this often. */
  const polled = (times: number) =>
    expect
      .poll(() => [...control.counts.values()].filter((count) => count >= times).length, { timeout: 30_000 })
      .toBeGreaterThanOrEqual(4);
  await polled(2);
  closed.engine.close();
  await polled(4); // polls that ran when the engine was closed have ended
  const before = [...closed.counts];
  await polled(6);
  expect([...closed.counts]).toEqual(before);
});
