import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import { untilServing } from './grpc-health.ts';
import { type LlmProcessDeps, startLlmProcess } from './llm-process.ts';
import { isAlive } from './proc.ts';

const FAKE = fileURLToPath(new URL('../../test/fixtures/machine/fake-llm-service.ts', import.meta.url));
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

interface Line {
  level: number;
  msg: string;
  servicePid?: number;
  hasDatabaseUrl?: boolean;
  key?: string;
}

function bench(env: NodeJS.ProcessEnv = {}) {
  const lines: Line[] = [];
  const waiting: (() => void)[] = [];
  const logger = pino(
    { level: 'debug' },
    {
      write: (line: string) => {
        lines.push(JSON.parse(line) as Line);
        for (const wake of waiting.splice(0)) wake();
      },
    },
  );
  const deps: LlmProcessDeps = {
    python: 'not used',
    serviceDir: '.',
    logger,
    env: { ...process.env, ...env },
    command: [process.execPath, FAKE],
  };
  const logged = async (count: number, matches: (line: Line) => boolean): Promise<Line[]> => {
    while (lines.filter(matches).length < count) await new Promise<void>((wake) => waiting.push(wake));
    return lines.filter(matches);
  };
  return { deps, lines, logged };
}

async function start(deps: LlmProcessDeps) {
  const service = await startLlmProcess(deps);
  stops.push(service.stop);
  return service;
}

const ups = (line: Line) => line.msg === 'up';

it('is ready once its health check passes, gets the environment without DATABASE_URL, and stops', async () => {
  const { deps, logged } = bench({ DATABASE_URL: 'postgres://secret', SOME_API_KEY: 'k' });
  const { address, stop } = await start(deps);
  expect(address).toMatch(/^127\.0\.0\.1:\d+$/);
  const [up] = await logged(1, ups);
  expect(up).toMatchObject({ level: 30, hasDatabaseUrl: false, key: 'k' });
  await stop();
  await stop();
  expect(isAlive(up!.servicePid!)).toBe(false);
  expect(await logged(1, (line) => line.msg === 'terminated')).toMatchObject([{ level: 40 }]);
});

it('returns on the same port after it is killed', async () => {
  const { deps, logged } = bench();
  const { address } = await start(deps);
  const [first] = await logged(1, ups);
  process.kill(first!.servicePid!, 'SIGKILL');
  const [, second] = await logged(2, ups);
  expect(second!.servicePid).not.toBe(first!.servicePid);
  await untilServing(address, AbortSignal.timeout(30_000));
});

it('retries while the port is taken, and can be stopped meanwhile', async () => {
  const { deps, logged } = bench();
  const { address, stop } = await start(deps);
  const [first] = await logged(1, ups);
  process.kill(first!.servicePid!, 'SIGKILL');
  await logged(1, (line) => line.msg.includes('ended unexpectedly'));
  const squatter = createServer().listen(Number(address.split(':')[1]), '127.0.0.1');
  await once(squatter, 'listening');
  await logged(1, (line) => line.msg.includes('could not be started again'));
  await stop();
  squatter.close();
});

it('says why it did not start', async () => {
  const { deps } = bench({ FAKE_FAILS: '1' });
  await expect(startLlmProcess(deps)).rejects.toMatchObject({
    code: 'LLM_SERVICE_START_FAILED',
    message: 'the LLM service did not start (exit code 3) Traceback: no such module',
  });
  await expect(startLlmProcess({ ...deps, command: ['/does/not/exist'] })).rejects.toThrow(
    /could not be started/,
  );
});
