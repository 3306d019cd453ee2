import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { devPython } from '../../scripts/lib/dev-python.ts';
import { createLlmClient, type LlmClient } from '../../src/engine/model/client.ts';
import { startLlmProcess } from '../../src/machine/llm-process.ts';
import { report } from './report.ts';
import { scaled } from './scale.ts';

const STREAMS = scaled(2, 20);
const CHUNKS = scaled(50, 500);

let provider: Server;
let baseUrl: string;
let service: Awaited<ReturnType<typeof startLlmProcess>>;
let client: LlmClient;

beforeAll(async () => {
  provider = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const event = (body: unknown) => response.write(`data: ${JSON.stringify(body)}\n\n`);
    const base = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm' };
    for (let n = 0; n < CHUNKS; n++) {
      event({ ...base, choices: [{ index: 0, delta: { content: `word${n} ` }, finish_reason: null }] });
    }
    event({ ...base, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    response.end('data: [DONE]\n\n');
  });
  await new Promise<void>((ready) => provider.listen(0, '127.0.0.1', ready));
  baseUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`;
  const logger = pino({ level: 'silent' });
  const serviceDir = resolve(import.meta.dirname, '../../llm-service');
  service = await startLlmProcess({
    python: await devPython(),
    serviceDir,
    logger,
    env: { ...process.env, BENCH_KEY: 'k' },
  });
  const limits = {
    callTimeoutMs: 240_000,
    firstTokenTimeoutMs: 120_000,
    stallTimeoutMs: 60_000,
    maxMessageBytes: 2 ** 26,
  };
  client = createLlmClient({ address: service.address, limits, logger });
});
afterAll(async () => {
  await client.close();
  await service.stop();
  provider.close();
});

async function chunksPerSecond(one: () => Promise<number>): Promise<number> {
  const begun = performance.now();
  const counts = await Promise.all(Array.from({ length: STREAMS }, one));
  expect(counts).toEqual(counts.map(() => CHUNKS));
  return (STREAMS * CHUNKS * 1000) / (performance.now() - begun);
}

test('chunks through the LLM service', async () => {
  const direct = async () => {
    const response = await fetch(`${baseUrl}/chat/completions`, { method: 'POST', body: '{}' });
    return (await response.text()).split('\n\n').filter((event) => event.includes('"content"')).length;
  };
  const through = async () => {
    let count = 0;
    const llm = { backend: 'langchain', provider: 'openai', model: 'm', apiKeyEnv: 'BENCH_KEY', baseUrl };
    const request = {
      sessionId: 's',
      executionId: 'e',
      messages: [{ role: 'USER', content: 'Go' }],
      llm,
      tools: [],
    } as const;
    for await (const chunk of client.generate(request, { signal: AbortSignal.timeout(240_000) })) {
      // The client joins pieces that arrive together, so pieces are counted by their words.
      if (chunk.kind === 'text') count += chunk.text.split(' ').length - 1;
    }
    return count;
  };
  await through(); // the first call loads the provider's SDK
  const baseline = await chunksPerSecond(direct);
  const value = await chunksPerSecond(through);
  report({
    name: `chunks through the LLM service, ${STREAMS} streams`,
    value,
    unit: 'chunks/s',
    baseline,
    baselineName: 'provider read directly',
  });
  report({
    name: 'time the LLM service adds a chunk',
    value: 1000 / value - 1000 / baseline,
    unit: 'ms',
    baseline: null,
    baselineName: null,
  });
});
