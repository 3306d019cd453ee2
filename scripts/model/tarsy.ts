import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type StopStep, spawnManaged } from '../../src/machine/child.ts';
import { forEachLine } from '../../src/machine/lines.ts';
import { ROOT } from '../lib/dev-python.ts';
import { defaultsFile, type ModelAddress, providersFile } from './provider.ts';

export interface TemporaryTarsy {
  /** Address of TARSy's GraphQL endpoint. */
  readonly graphql: URL;
  stop(): Promise<void>;
}

const STOP: readonly StopStep[] = [
  { signal: 'SIGTERM', graceMs: 30_000 },
  { signal: 'SIGKILL', graceMs: 2_000 },
];

/** Timeouts in the configuration, long enough for a model on two busy cores to read a long prompt. */
const PATIENT = { iteration: '10m', llm_call: '9m', llm_first_token: '8m', llm_stall: '3m' };

/**
 * Runs TARSy with its own data and configuration in `dir`, on a free port. Passes its log on.
 * @param llmService host:port
 * @throws Error if TARSy ends before it is ready
 */
export async function startTemporaryTarsy(options: {
  dir: string;
  address: ModelAddress;
  strategy: string;
  llmService: string;
}): Promise<TemporaryTarsy> {
  const { dir, address, strategy, llmService } = options;
  const config = join(dir, 'config');
  await mkdir(config);
  const more = { queue: { session_timeout: '30m' } };
  await writeFile(join(config, 'tarsy.yaml'), defaultsFile(strategy, { timeouts: PATIENT }, more));
  await writeFile(join(config, 'llm-providers.yaml'), providersFile(address));

  const child = spawnManaged(process.execPath, [join(ROOT, 'scripts/tarsy.mjs'), 'start'], {
    cwd: ROOT,
    env: {
      ...process.env,
      TARSY_HOME: join(dir, 'home'),
      CONFIG_DIR: config,
      LLM_SERVICE_ADDR: llmService,
      HTTP_HOST: '127.0.0.1',
      HTTP_PORT: '0',
      // Empty, so that the environment of a developer's own TARSy has no effect.
      DATABASE_URL: '',
      WORKER_CONCURRENCY: '',
    },
    // Own process group, so that the terminal's Ctrl-C reaches only this process, which then stops its
    // children in order.
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ready = new Promise<string>((found) => {
    if (!child.process.stdout) return;
    forEachLine(child.process.stdout, (line) => {
      process.stdout.write(`${line}\n`);
      const url = /TARSy is ready: (\S+)/.exec(line)?.[1];
      if (url !== undefined) found(url);
    });
  });
  const ended = child.exited.then((how) => {
    throw new Error(`TARSy ended (${how}) before it was ready`);
  });
  ended.catch(() => {}); // not an unhandled rejection: TARSy also ends after a normal stop
  const url = await Promise.race([ready, ended]);
  return { graphql: new URL('/graphql', url), stop: () => child.stop(STOP) };
}
