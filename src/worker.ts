import { hostname } from 'node:os';
import type { AppOptions, Core, OnStop } from './app.ts';
import { createTurnBox } from './engine/agent/turn-box.ts';
import { createLlmClient } from './engine/llm/client.ts';
import { createLlmOutages } from './engine/llm/outages.ts';
import { observedClient, observedTools } from './engine/observe.ts';
import { connectToolsFor } from './engine/run/connect-tools.ts';
import { LLM_MAX_MESSAGE_BYTES } from './engine/tunables.ts';
import type { JobRunner } from './jobs/runner.ts';
import { startWork } from './jobs/work.ts';
import { installationKey } from './machine/installation-key.ts';
import { monitorMcpServers } from './mcp/health/monitor-servers.ts';
import { createKeptSessions } from './mcp/kept-sessions.ts';
import { endLeftovers } from './mcp/leftovers.ts';
import { startSlack } from './slack.ts';

/** Runs investigations, answers questions, and tells Slack where that is configured. */
export async function startWorker(options: AppOptions, core: Core, onStop: OnStop): Promise<JobRunner> {
  const { config, logger } = core;
  const { llmAddress, databaseUrl, role } = options;
  if (llmAddress === null) throw new Error('A worker needs the address of the LLM service.');
  const workerId = `${hostname()}:${process.pid}`;
  const { timeouts } = config.defaults;
  const wire = createLlmClient({
    address: llmAddress,
    limits: {
      callTimeoutMs: timeouts.llmCallMs,
      firstTokenTimeoutMs: timeouts.llmFirstTokenMs,
      stallTimeoutMs: timeouts.llmStallMs,
      maxMessageBytes: LLM_MAX_MESSAGE_BYTES,
    },
    logger,
  });
  onStop(() => wire.close());
  void endLeftovers(logger); // nothing waits for it
  const client = observedClient(wire, core.observer);
  const health = monitorMcpServers({ ...core, holder: workerId });
  onStop(() => health.stop());
  const keptSessions = createKeptSessions(logger);
  onStop(() => keptSessions.close());
  const connectTools = observedTools(connectToolsFor({ ...core, keptSessions }), core.observer);
  const work = await startWork({
    ...core,
    client,
    outages: createLlmOutages(),
    turns: createTurnBox(installationKey(options.environment.key, options.environment.home, logger)),
    connectTools,
    workerId,
    databaseUrl,
    application: `tarsy-${role}`,
  });
  onStop(work.close);
  core.telemetry.addWorkers({
    total: config.queue.workerConcurrency,
    active: () => work.activeSessions,
  });
  await startSlack(options, { ...core, queue: work.queue }, onStop);
  onStop(work.stop);
  return work.jobs;
}
