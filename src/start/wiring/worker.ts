import { publishConfiguration, THIS_PROCESS } from '../../config-report/workers.ts';
import { createToolConnector } from '../../engine/agent/connect-tools.ts';
import { createProviderAvailability } from '../../engine/model/availability/provider-availability.ts';
import { watchLlmService } from '../../engine/model/availability/service-health.ts';
import { createLlmClient, LLM_MAX_MESSAGE_BYTES } from '../../engine/model/client.ts';
import { createPrices, pricedClient } from '../../engine/model/pricing/prices.ts';
import { createProviderTurnCipher } from '../../engine/model/provider-turn-cipher.ts';
import { observedClient, observedTools } from '../../engine/observe.ts';
import { openQueuePool } from '../../jobs/queue-pool.ts';
import { startWork } from '../../jobs/work.ts';
import { servingCheck } from '../../machine/grpc-health.ts';
import { installationKey } from '../../machine/installation-key.ts';
import { monitorMcpServers } from '../../mcp/health/monitor.ts';
import { killOrphans } from '../../mcp/orphans.ts';
import { createSessionPool } from '../../mcp/session-pool.ts';
import { startNotifications } from './notify.ts';
import { startSlack } from './slack.ts';
import type { AppOptions, Core, OnStop } from './types.ts';

/**
 * Health checks of a worker: `pool` rejects if the job runner does not work, `llmService` if the LLM service does not.
 */
export interface WorkerChecks {
  pool: () => Promise<void>;
  llmService: () => Promise<void>;
}

/** Starts a worker: investigations, answers to questions, scores, and notifications if configured. */
export async function startWorker(options: AppOptions, core: Core, onStop: OnStop): Promise<WorkerChecks> {
  const { config, logger } = core;
  const { llmAddress, databaseUrl, role } = options;
  if (llmAddress === null) throw new Error('A worker needs the address of the LLM service.');
  const workerId = THIS_PROCESS;
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
  void killOrphans(logger); // not awaited
  const client = observedClient(pricedClient(wire, createPrices(config.modelPrices)), core.observer);
  const health = monitorMcpServers({ ...core, holder: workerId });
  onStop(() => health.stop());
  const sessionPool = createSessionPool(logger);
  onStop(() => sessionPool.close());
  const connectTools = observedTools(createToolConnector({ ...core, sessionPool }), core.observer);
  const application = `tarsy-${role}`;
  const queue = openQueuePool(databaseUrl, { application, logger });
  onStop(() => queue.end());
  await startSlack(options, { ...core, queue }, onStop);
  await startNotifications(options, core, onStop);
  const turnCipher = createProviderTurnCipher(
    installationKey(options.environment.key, options.environment.home, logger),
  );
  const availability = createProviderAvailability(core.observer.metrics.circuitOpen);
  const service = servingCheck(llmAddress);
  onStop(async () => service.close());
  const watch = watchLlmService({ ...core, ask: service.check, address: llmAddress });
  onStop(() => watch.stop());
  const own = { client, availability, turnCipher, connectTools, workerId, application, databaseUrl, queue };
  const work = await startWork({ ...core, ...own }, onStop);
  core.telemetry.addWorkers({
    total: config.queue.workerConcurrency,
    active: () => work.activeSessions,
  });
  const publishing = publishConfiguration({ ...core, version: options.version });
  onStop(() => publishing.stop());
  return { pool: work.jobs.check, llmService: watch.check };
}
