import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiClient, apiClient } from '../../helpers/api.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { type HttpMcpServer, startHttpMcp } from '../../helpers/mcp/http-server.ts';
import { createTestTools } from '../../helpers/mcp/test-tools.ts';
import { expectGapless, expectTiled, type Recorder, record } from './recorder.ts';
import { METRICS_TOKEN, pipelineConfig, scriptPipeline } from './scenario.ts';
import { readStored, type Stored } from './stored.ts';
import {
  conversationViews,
  eventsView,
  requestsView,
  sessionView,
  timelineView,
  traceView,
} from './views.ts';

/**
 * Runs one long investigation with nearly every feature, watched by a client, and two questions about it.
 * Golden files contain the expected rows, events and requests. `vitest run -u` rewrites the
 * files; review them afterwards.
 */
const golden = (name: string) => join(import.meta.dirname, '../golden/pipeline', name);

let metrics: HttpMcpServer;
let app: TestApp;
let api: ApiClient;
let recorder: Recorder;
let stored: Stored;

beforeAll(async () => {
  metrics = await startHttpMcp(METRICS_TOKEN, undefined, { createMcp: () => createTestTools(() => {}) });
  app = await startTestApp(pipelineConfig(metrics));
  api = apiClient(app.url);
  scriptPipeline(app.llm);
  const id = await api.submit('Disk /var at 91 %');
  recorder = record(api, id);
  await recorder.until(({ session }) => session?.status === 'COMPLETED');
  await ask(id, 'Which file?', 1);
  await ask(id, 'Since when?', 2);
  stored = await readStored(api, id);
});
afterAll(async () => {
  recorder.stop();
  await app.stop();
  await metrics.close();
});

/** Asks a question and waits for the end of the session's n-th answer. */
async function ask(sessionId: string, content: string, n: number): Promise<void> {
  await api.query(
    `mutation ($input: SendChatMessageInput!) { sendChatMessage(input: $input) { __typename ... on Error { message } } }`,
    { input: { sessionId, content } },
  );
  let ended = 0;
  await recorder.until(
    ({ stage }) => stage?.type === 'CHAT' && !['PENDING', 'ACTIVE'].includes(stage.status) && ++ended === n,
  );
}

test('uses every scripted response of the model', () => app.llm.assertNoUnusedScripts());

test('the client receives every event once, in order, and every text piece by piece', () => {
  expectGapless(recorder.items);
  expectTiled(recorder.items);
});

test('numbers the timeline without gaps', () => {
  expect(stored.timeline.map(({ sequenceNumber }) => sequenceNumber)).toEqual(
    stored.timeline.map((_, n) => n + 1),
  );
});

test.each([
  ['session.yaml', () => sessionView(stored)],
  ['timeline.yaml', () => timelineView(stored)],
  ['trace.yaml', () => traceView(stored)],
  ['requests.yaml', () => requestsView(app.llm.requests, stored)],
  ['events.txt', () => eventsView(recorder.items)],
])('%s is as expected', async (name, view) => {
  await expect(view()).toMatchFileSnapshot(golden(name));
});

test('each conversation is as expected', async () => {
  const views = conversationViews(stored);
  for (const [name, text] of views) await expect(text).toMatchFileSnapshot(golden(`conversations/${name}`));
  expect(readdirSync(golden('conversations')).sort()).toEqual([...views.keys()].sort());
});
