import { pino } from 'pino';
import type { LlmChunk } from '../../../src/engine/model/chunks.ts';
import {
  createLlmClient,
  type LlmClient,
  type LlmClientLimits,
  type LlmRequest,
} from '../../../src/engine/model/client.ts';
import { startScriptedLlm } from './index.ts';

/** A request with a message of every kind. */
export const SAMPLE_REQUEST: LlmRequest = {
  sessionId: 'session-1',
  executionId: 'execution-1',
  messages: [
    { role: 'SYSTEM', content: 'You are HostAgent' },
    { role: 'USER', content: 'disk full' },
    { role: 'ASSISTANT', content: '', toolCalls: [{ id: 'c1', name: 'host.disk_usage', arguments: '{}' }] },
    { role: 'TOOL', content: '91 %', toolCallId: 'c1', toolName: 'host.disk_usage' },
  ],
  llm: { backend: 'langchain', provider: 'openai', model: 'm', nativeTools: { google_search: true } },
  tools: [
    {
      name: 'host.disk_usage',
      description: 'Disks',
      inputSchema: { type: 'object' },
      toolClass: 'reads',
      annotations: { readOnly: true, destructive: null, idempotent: false, openWorld: null },
    },
  ],
};

/**
 * Manages the scripted services and clients of one test file. `release`, called in `afterEach`, closes all
 * that the test opened.
 */
export function createLlmBench() {
  const releases: (() => Promise<void>)[] = [];
  return {
    async startService(port?: number) {
      const llm = await startScriptedLlm(port === undefined ? {} : { port });
      releases.push(llm.close);
      return llm;
    },
    /** Opens a client with generous default limits. */
    connect(address: string, limits: Partial<LlmClientLimits> = {}): LlmClient {
      const generous = {
        callTimeoutMs: 60_000,
        firstTokenTimeoutMs: 60_000,
        stallTimeoutMs: 60_000,
        maxMessageBytes: 64 * 1024 * 1024,
      };
      const logger = pino({ level: 'silent' });
      const client = createLlmClient({ address, limits: { ...generous, ...limits }, logger });
      releases.push(client.close);
      return client;
    },
    async release() {
      for (const release of releases.splice(0).reverse()) await release();
    },
  };
}

/** Reads all chunks of one call. */
export async function readAll(
  client: LlmClient,
  signal = new AbortController().signal,
  request = SAMPLE_REQUEST,
): Promise<LlmChunk[]> {
  const chunks: LlmChunk[] = [];
  for await (const chunk of client.generate(request, { signal })) chunks.push(chunk);
  return chunks;
}
