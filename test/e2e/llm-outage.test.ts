import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ENDED } from '../helpers/api.ts';
import { askQuestion, waitForStageEnd } from '../helpers/chat.ts';
import {
  conclusionOf,
  LLM_OUTAGES,
  type LlmOutage,
  type OutageSystem,
  quickAlert,
  STRATEGIES,
  type Strategy,
  slowText,
  startOutageSystem,
} from '../helpers/llm-outage.ts';

/**
 * The LLM service fails during investigations and answers, in each possible way. Durations of the outages in
 * seconds; `npm run test:llm-outage` runs 1 s, 45 s and 5 min in parallel.
 */
const SECONDS = (process.env.LLM_OUTAGE_SECONDS ?? '5').split(',').map(Number);
/** An outage of at least this length (s) lasts until every agent has noticed the failure. */
const NOTICED = 4;
/** Time (s) until both ends notice a connection that is silently dead. */
const DEAD = 40;

interface Item {
  sequenceNumber: number;
  type: string;
  status: string;
  content: string;
  metadata: { outage?: true; waited_ms?: number } | null;
}
interface Execution {
  status: string;
  timeline: Item[];
  messages: { role: string; content: string; toolCalls: { id: string }[] }[];
}

/** An agent at work when the LLM service fails. */
interface Story {
  name: string;
  strategy: Strategy;
  sessionId: string;
  /** Resolves with the final status. */
  ended: Promise<string>;
  read(): Promise<Execution>;
}

async function start(options: Parameters<typeof startOutageSystem>[0] = {}): Promise<OutageSystem> {
  const system = await startOutageSystem(options);
  onTestFinished(() => system.stop());
  return system;
}

/** Reads a session's last stage: the investigation, or the answer to a question about it. */
function storyOf({ api }: OutageSystem, story: Omit<Story, 'read'>): Story {
  const read = async () => {
    const { session } = await api.query<{ session: { stages: { executions: Execution[] }[] } }>(
      `query ($id: ID!) { session(id: $id) { stages { executions { status
         timeline { sequenceNumber type status content metadata } messages { role content toolCalls { id } } } } } }`,
      { id: story.sessionId },
    );
    return session.stages.at(-1)!.executions[0]!;
  };
  return { ...story, read };
}

const alertType = (strategy: Strategy) => (strategy === 'react' ? 'react' : 'test');

async function investigate(system: OutageSystem, strategy: Strategy): Promise<Story> {
  const { api } = system;
  const sessionId = await api.submit(slowText('alert', strategy), { alertType: alertType(strategy) });
  const ended = api.waitFor(sessionId, ({ status }) => ENDED.has(status)).then(({ status }) => status);
  return storyOf(system, { name: `alert ${strategy}`, strategy, sessionId, ended });
}

async function answer(system: OutageSystem, strategy: Strategy): Promise<Story> {
  const { api } = system;
  const sessionId = await api.submit(quickAlert(strategy), { alertType: alertType(strategy) });
  await api.waitFor(sessionId, ({ status }) => ENDED.has(status));
  const stage = await askQuestion(api, sessionId, slowText('question', strategy));
  const ended = waitForStageEnd(api, sessionId, stage);
  return storyOf(system, { name: `question ${strategy}`, strategy, sessionId, ended });
}

const waitsOf = ({ timeline }: Execution) => timeline.filter(({ metadata }) => metadata?.outage === true);

/** Asserts the result of an undisturbed run, apart from timeline entries about the wait. */
function expectWhole({ name, strategy }: Story, { status, timeline, messages }: Execution): void {
  expect(status).toBe('COMPLETED');
  const of = (type: string) => timeline.filter((item) => item.type === type);
  expect(of('FINAL_ANALYSIS')).toMatchObject([{ status: 'COMPLETED', content: conclusionOf(name) }]);
  expect(of('LLM_TOOL_CALL')).toMatchObject([{ status: 'COMPLETED', content: `noted: ${name}` }]);
  expect(timeline.filter((item) => item.status === 'STREAMING')).toEqual([]);
  // The model may also have been told that its first answer was cut off.
  const cutOff = messages.filter(({ role, content }) => role === 'USER' && content.includes('took too long'));
  expect(cutOff.length).toBeLessThanOrEqual(1);
  const result = strategy === 'react' ? 'USER' : 'TOOL';
  expect(messages.filter((message) => !cutOff.includes(message)).map(({ role }) => role)).toEqual([
    'SYSTEM',
    'USER',
    'ASSISTANT',
    result,
    'ASSISTANT',
  ]);
  for (const wait of timeline.filter(({ metadata }) => metadata?.outage === true)) {
    expect(wait).toMatchObject({
      type: 'ERROR',
      status: 'COMPLETED',
      content: expect.stringMatching(
        /^The model is unavailable: .*[^.]\. Retrying for up to .*The model is available again\.$/s,
      ),
      metadata: { waited_ms: expect.any(Number) },
    });
  }
}

/**
 * Makes the service fail during investigations and answers of all strategies, and asserts that each one
 * completes.
 */
async function outlast(
  system: OutageSystem,
  way: LlmOutage,
  seconds: number,
  toolLog: string,
): Promise<void> {
  const stories = await Promise.all(
    STRATEGIES.flatMap((strategy) => [investigate(system, strategy), answer(system, strategy)]),
  );
  await system.halfSaid(stories.length);
  const bringBack = await system.strike(way);
  const over = delay(seconds * 1000); // runs while the agents wait
  const isNoticed = seconds > NOTICED;
  for (const story of isNoticed ? stories : []) {
    const message = `${way}: ${story.name}`;
    const waits = async () =>
      waitsOf(await story.read()).flatMap(({ status }) => (status === 'STREAMING' ? status : []));
    await expect.poll(waits, { timeout: 60_000, interval: 250, message }).toEqual(['STREAMING']);
  }
  await over;
  await bringBack();

  for (const story of stories) {
    expect(await story.ended, `${way}: ${story.name}`).toBe('COMPLETED');
    const execution = await story.read();
    expectWhole(story, execution);
    // On a busy machine there may be further waits, because an answer was late.
    if (isNoticed) expect(waitsOf(execution).length).toBeGreaterThanOrEqual(1);
  }
  const notes = (await readFile(toolLog, 'utf8')).trim().split('\n');
  expect(notes.toSorted()).toEqual(stories.map(({ name }) => name).toSorted());
}

describe('while the LLM service is away', () => {
  const timeout = Math.max(...SECONDS) * 1000 + 180_000;

  test.each(SECONDS)('investigations and answers wait and complete: %i s', { timeout }, async (seconds) => {
    const folder = await mkdtemp(join(tmpdir(), 'tarsy-outage-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const ways = (Object.keys(LLM_OUTAGES) as LlmOutage[]).filter((way) => way !== 'lost' || seconds >= DEAD);
    const systems: OutageSystem[] = [];
    for (const way of ways) systems.push(await start({ toolLog: join(folder, way) }));
    // In parallel, because each outage takes long.
    await Promise.all(systems.map((system, n) => outlast(system, ways[n]!, seconds, join(folder, ways[n]!))));
  });

  test('an agent fails after the longest allowed wait', { timeout: 60_000 }, async () => {
    const system = await start({ timeouts: { llm_outage: '2s' } });
    const story = await investigate(system, 'langchain');
    await system.halfSaid(1);
    await system.strike('refused');
    expect(await story.ended).toBe('FAILED');
    const execution = await story.read();
    expect(waitsOf(execution)).toMatchObject([
      { status: 'FAILED', content: expect.stringContaining('gave up after 2s') },
    ]);
    expect(execution).toMatchObject({ status: 'FAILED' });
    const { session } = await system.api.query<{ session: { errorMessage: string } }>(
      'query ($id: ID!) { session(id: $id) { errorMessage } }',
      { id: story.sessionId },
    );
    expect(session.errorMessage).toContain('was unavailable for 2s');
  });

  test('cancels a wait at once', { timeout: 60_000 }, async () => {
    const system = await start();
    const { api } = system;
    const story = await investigate(system, 'langchain');
    await system.halfSaid(1);
    await system.strike('frozen');
    const items = api.subscribe<{ sessionEvents: { timelineEvent?: { metadata: Item['metadata'] } } }>(
      `subscription ($id: ID!) { sessionEvents(sessionId: $id) { ... on TimelineEventCreated { timelineEvent { metadata } } } }`,
      { id: story.sessionId },
    );
    for await (const { sessionEvents } of items) if (sessionEvents.timelineEvent?.metadata?.outage) break;
    await api.query(`mutation ($id: ID!) { cancelSession(id: $id) { __typename } }`, { id: story.sessionId });
    expect(await story.ended).toBe('CANCELLED');
    expect(waitsOf(await story.read())).toMatchObject([{ status: 'CANCELLED' }]);
  });
});
