import { pino } from 'pino';
import { devPython, ROOT } from '../../scripts/lib/dev-python.ts';
import { startLlmProcess } from '../../src/machine/llm-process.ts';
import { startTestApp, type TestApp } from './app.ts';

/** The application with a real LLM service and the offline rules as the model of every call. */
export async function startOfflineApp(options: Parameters<typeof startTestApp>[0] = {}): Promise<TestApp> {
  const service = await startLlmProcess({
    python: await devPython(),
    serviceDir: `${ROOT}/llm-service`,
    env: { ...process.env, OFFLINE_CHUNK_DELAY_MS: '0' },
    logger: pino({ level: 'silent' }),
  });
  try {
    const app = await startTestApp({
      llmAddress: service.address,
      ...options,
      defaults: {
        ...{ llm_provider: 'offline', iteration_strategy: undefined, max_iterations: 10 },
        report: { enabled: true },
        ...options.defaults,
      },
    });
    return {
      ...app,
      async stop() {
        await app.stop();
        await service.stop();
      },
    };
  } catch (error) {
    await service.stop();
    throw error;
  }
}
