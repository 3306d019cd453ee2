import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port.ts';

/** Path of nats-server; `null` if it is missing. `.ci/run` unpacks it from Debian's package. */
export const NATS_SERVER: string | null =
  [resolve(import.meta.dirname, '../../.tarsy/tools/nats-server'), '/usr/sbin/nats-server'].find((path) =>
    existsSync(path),
  ) ?? null;

// Kills the servers of an interrupted test.
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A NATS server that a test can kill, freeze and restart. */
export interface NatsServer {
  url: string;
  readonly pid: number;
  /** Starts the server again on the same port, unless it runs. */
  start(): Promise<void>;
  /** Ends the server at once, as in a crash. */
  kill(): Promise<void>;
  /** Stops the process: connections stay open, and nothing answers. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

/** Starts a server. @param settings lines of its configuration file, such as `authorization { … }` */
export async function startNatsServer(settings = ''): Promise<NatsServer> {
  const folder = await mkdtemp(join(tmpdir(), 'tarsy-nats-'));
  const file = join(folder, 'nats.conf');
  const port = await freePort();
  await writeFile(file, settings);
  const launch = () => {
    const args = ['-a', '127.0.0.1', '-p', `${port}`, '-c', file];
    const started = spawn(NATS_SERVER!, args, { stdio: 'ignore' });
    running.add(started);
    started.once('exit', () => running.delete(started));
    return started;
  };
  let child = launch();
  await untilGreeting(port);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  async function kill(): Promise<void> {
    if (hasEnded()) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
  return {
    url: `nats://127.0.0.1:${port}`,
    get pid() {
      return child.pid!;
    },
    async start() {
      if (!hasEnded()) return;
      child = launch();
      await untilGreeting(port);
    },
    kill,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async stop() {
      await kill();
      await rm(folder, { recursive: true });
    },
  };
}

async function untilGreeting(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const greeted = once(socket, 'data').then(
      () => true,
      () => false,
    );
    const isUp = await greeted;
    socket.destroy();
    if (isUp) return;
    await delay(20);
  }
}
