import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { errorMessage } from '../../src/common/error-message.ts';
import { findPython } from '../../src/machine/python.ts';
import { startTemporaryPostgres } from '../../test/helpers/temporary-postgres.ts';
import { type BuiltImage, buildImage } from './build.ts';
import { checkContents, sizeOf } from './contents.ts';
import { canConfine, isHealthy, type StartedImage, startImage } from './start.ts';
import { clientOf } from './use.ts';

/**
 * Builds both Containerfiles without a container engine and checks the contents of the images. Then starts an API, two
 * workers and the LLM service as a container runtime would, lets them investigate alerts, and stops them.
 */
const ROOT = resolve(import.meta.dirname, '../..');
const ALERTS = [
  'Disk almost full: / above 90%',
  'Load above 8 for 10 minutes',
  'Memory below 5%',
  'Disk full',
];
/** Time limit of a stop (ms), well below a pod's grace period. */
const STOP_LIMIT_MS = 20_000;

mkdirSync(join(ROOT, '.tarsy'), { recursive: true });
// Not in /tmp, because confined processes see an empty /tmp.
const dir = mkdtempSync(join(ROOT, '.tarsy', 'image-'));
const running: StartedImage[] = [];
let postgres: Awaited<ReturnType<typeof startTemporaryPostgres>> | undefined;
try {
  chmodSync(dir, 0o755);
  await verify();
  say('\nThe images are what they should be.');
} catch (error) {
  say(`\nFailed: ${errorMessage(error)}`);
  process.exitCode = 1;
} finally {
  for (const { child } of running) child.kill('SIGKILL');
  await postgres?.stop();
  rmSync(dir, { recursive: true, force: true });
}

async function verify(): Promise<void> {
  if (ROOT.startsWith('/tmp/') && canConfine())
    throw new Error(`${ROOT} is in /tmp, which is empty for what is started: run it in a checkout elsewhere`);
  const programs = await providePrograms();
  const server = build('server', 'deploy/Containerfile', ROOT, programs);
  const llm = build('llm', 'llm-service/Containerfile', join(ROOT, 'llm-service'), programs);
  const wrong = checkContents(server.app);
  if (wrong.length > 0) throw new Error(`the server's image: ${wrong.join('; ')}`);
  say(`server ${sizeOf(server.app)} MiB, LLM service ${sizeOf(llm.app)} MiB on top of their bases`);
  await use(server, llm, programs);
}

function build(name: string, containerfile: string, context: string, programs: string): BuiltImage {
  say(`\n▸ ${containerfile}`);
  const image = buildImage({
    containerfile: join(ROOT, containerfile),
    context,
    dir: join(dir, name),
    programs,
    say,
  });
  if (!/^[1-9]\d*:0$/.test(image.user)) throw new Error(`${containerfile} runs as ${image.user}`);
  return image;
}

async function use(server: BuiltImage, llm: BuiltImage, programs: string): Promise<void> {
  const confined = canConfine();
  say(
    confined
      ? '\n▸ start: arbitrary uid in group 0, no capabilities, read-only root, empty /tmp'
      : '\n▸ start: as this user, on a writable root (only root may confine processes here)',
  );
  postgres = await startTemporaryPostgres();
  const [grpcPort, httpPort] = [await freePort(), await freePort()];
  const common = { confined, programs };
  const env = {
    DATABASE_URL: postgres.url,
    LLM_SERVICE_ADDR: `127.0.0.1:${grpcPort}`,
    CONFIG_DIR: provideConfig(server),
    HTTP_PORT: String(httpPort),
  };
  const llmOptions = { ...common, env: { GRPC_HOST: '127.0.0.1', GRPC_PORT: String(grpcPort) } };
  const service = start(llm, llmOptions);
  await service.said(/"event":\s*"listening"/);
  const migration = start(server, { ...common, env, args: ['migrate'] });
  await migration.said(/^Migrated: /);
  const workers = [1, 2].map(() => start(server, { ...common, env, args: ['worker'] }));
  const api = start(server, { ...common, env });
  await Promise.all([...workers, api].map((part) => part.said(/TARSy is ready/)));
  if (!isHealthy(server, { ...common, env })) throw new Error("the API's health check fails");
  if (!isHealthy(llm, llmOptions)) throw new Error("the LLM service's health check fails");
  say('an API, two workers and the LLM service are up and healthy');
  await investigate(`http://127.0.0.1:${httpPort}`, workers[0]!);
  for (const part of [...workers.slice(1), api, service]) await stop(part);
}

/** Returns a copy of the image's configuration for operation behind a proxy. The client here acts as the proxy. */
function provideConfig(server: BuiltImage): string {
  const folder = join(dir, 'config');
  cpSync(join(server.app, 'deploy/config'), folder, { recursive: true });
  appendFileSync(join(folder, 'tarsy.yaml'), 'auth: { mode: proxy, trusted_proxies: [127.0.0.0/8] }\n');
  return folder;
}

/** Submits alerts, stops the worker `leaving` during an investigation, and expects the other one to complete them. */
async function investigate(url: string, leaving: StartedImage): Promise<void> {
  const nameless = await fetch(`${url}/graphql?query={__typename}`);
  if (nameless.status !== 401) throw new Error(`a request without a user is answered ${nameless.status}`);
  const client = clientOf(url, 'verifier');
  const ids = await Promise.all(ALERTS.map((alert) => client.submit(alert)));
  await leaving.said(/investigation begins/);
  await stop(leaving);
  for (const ended of await Promise.all(ids.map((id) => client.untilEnded(id)))) {
    if (ended.author !== 'verifier') throw new Error(`the author is ${ended.author}`);
    if (ended.status !== 'COMPLETED' || !ended.finalAnalysis || ended.toolCalls === 0)
      throw new Error(`an investigation did not succeed: ${JSON.stringify(ended)}`);
  }
  say(`${ids.length} alerts investigated to COMPLETED, one worker stopped in the middle`);
}

async function stop(part: StartedImage): Promise<void> {
  const { code, ms } = await part.stop();
  if (code !== 0 || ms > STOP_LIMIT_MS) throw new Error(`a part ended with ${code} after ${ms} ms`);
}

function start(image: BuiltImage, options: Parameters<typeof startImage>[1]): StartedImage {
  const started = startImage(image, options);
  running.push(started);
  return started;
}

/** Returns a folder with links to this machine's node and python, which the base images would contain. */
async function providePrograms(): Promise<string> {
  const programs = join(dir, 'programs');
  mkdirSync(programs);
  symlinkSync(process.execPath, join(programs, 'node'));
  // Prefers the system's Python, because other users cannot run one in a home folder.
  const { command } = await findPython({ ...process.env, PATH: `/usr/bin:/bin:${process.env.PATH}` });
  const python = command.startsWith('/') ? command : which(command);
  symlinkSync(python, join(programs, 'python'));
  symlinkSync(python, join(programs, 'python3'));
  return programs;
}

function which(command: string): string {
  const path = `/usr/bin:/bin:${process.env.PATH}`.split(':');
  const found = path.map((folder) => join(folder, command)).find((file) => existsSync(file));
  if (!found) throw new Error(`there is no ${command}`);
  return found;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
