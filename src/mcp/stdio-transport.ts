import { type ChildProcess, spawn } from 'node:child_process';
import { type JSONRPCMessage, serializeMessage, type Transport } from '@modelcontextprotocol/client';
import { within } from '../common/within.ts';
import { McpConnectionError } from './errors.ts';
import { createMessageBuffer } from './message-buffer.ts';
import { endMarked, MARK, newMark } from './orphans.ts';
import { readLines } from './stderr-lines.ts';
import type { Traffic } from './traffic-limiter.ts';
import type { StdioTransportSettings } from './types.ts';

/** A well-made server ends when its input does; most need a few milliseconds for it. */
const END_OF_INPUT_GRACE_MS = 500;
/** After SIGTERM. Whatever is still there then has no say any more. */
const TERM_GRACE_MS = 2_000;
/** Exit and end of output belong together; a stray descendant may hold the pipe open for good. */
const LAST_OUTPUT_MS = 250;
/** One message; a larger one breaks the connection. */
export const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;
/** Why a connection breaks when a message is larger. */
export const TOO_LARGE = `the server sent more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB in one message`;
/** The server reads its input no more. */
const BROKEN_PIPE = 'the server closed its input';
/** What a program needs to run at all. Nothing of ours goes to a server unless its settings name it. */
const INHERITED_VARIABLES = ['PATH', 'HOME', 'LANG', 'TMPDIR'] as const;

/** A connection that knows why it ended. */
export interface EndReason {
  /** In words, e.g. "the server exited with code 1"; null while it runs. */
  endReason(): string | null;
  /** Whether we ended it, for what the server sent. */
  isCutOff(): boolean;
  /** When a connection fails, what explains it comes a moment later: waits for that moment. */
  ending(): Promise<void>;
  /** What the server wrote last to its error output, to be added to a reason; '' when nothing. Untrusted. */
  lastWords(): string;
}

/** The environment of a server process. */
function serverEnvironment(settings: StdioTransportSettings, mark: string): Record<string, string> {
  const inherited = INHERITED_VARIABLES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(inherited), ...settings.env, [MARK]: mark };
}

/**
 * Runs a server as a child process in a process group of its own. The SDK's transport does not serve here: it gives up
 * on a process that ignores SIGTERM without waiting for its end, and leaves what a wrapper such as npx has started.
 * `onStderr` gets the server's error output line by line; `traffic` ends the connection when it is too much.
 */
export function createStdioTransport(
  settings: StdioTransportSettings,
  onStderr: (line: string) => void,
  traffic: Traffic,
): Transport & EndReason {
  const mark = newMark();
  const buffer = createMessageBuffer(MAX_MESSAGE_BYTES, {
    onMessage(message) {
      if (isWithin(traffic.message(message))) transport.onmessage?.(message);
    },
    onNoise(error) {
      if (isWithin(traffic.noise())) transport.onerror?.(error);
    },
  });
  const exited = Promise.withResolvers<void>();
  const said = Promise.withResolvers<void>();
  let lastLines = (): string[] => [];
  let child: ChildProcess | null = null;
  let reason: string | null = null;
  let isCutOff = false;
  let closing: Promise<void> | null = null;

  const transport: Transport & EndReason = {
    endReason: () => reason,
    isCutOff: () => isCutOff,
    async ending() {
      await within(LAST_OUTPUT_MS, Promise.all([exited.promise, said.promise]));
    },
    lastWords() {
      const lines = lastLines();
      return lines.length === 0 ? '' : `; it last wrote: ${lines.join(' | ')}`;
    },

    start() {
      const started = Promise.withResolvers<void>();
      const cwd = settings.cwd === undefined ? {} : { cwd: settings.cwd };
      const server = spawn(settings.command, settings.args ?? [], {
        ...cwd,
        env: serverEnvironment(settings, mark),
        stdio: 'pipe',
        detached: true,
      });
      child = server;
      server.once('spawn', () => started.resolve());
      server.once('error', (error) => {
        // Without a pid nothing was started and no exit will come.
        if (server.pid !== undefined) return;
        const code = 'code' in error ? String(error.code) : error.message;
        reason = `the server's command could not be started (${code})`;
        exited.resolve();
        said.resolve();
        started.reject(new McpConnectionError(reason, { cause: error }));
      });
      server.once('exit', (code, signal) => {
        reason ??=
          code === null ? `the server was ended by ${signal}` : `the server exited with code ${code}`;
        signalGroup(server, 'SIGKILL');
        exited.resolve();
        const cut = setTimeout(() => server.stdout.destroy(), LAST_OUTPUT_MS);
        server.once('close', () => clearTimeout(cut));
      });
      server.stdout.once('close', () => void outputEnded());
      server.stdin.on('error', (error) => transport.onerror?.(error));
      server.stdout.on('error', (error) => transport.onerror?.(error));
      server.stdout.on('data', receive);
      server.stderr.once('close', () => said.resolve());
      lastLines = readLines(server.stderr, onStderr);
      return started.promise;
    },

    send(message: JSONRPCMessage) {
      const input = child?.stdin;
      if (!input || reason !== null || closing !== null) {
        return Promise.reject(
          new McpConnectionError(reason ?? 'the connection is closed', { isUnsent: true }),
        );
      }
      return new Promise((resolve, reject) => {
        // A line whose end was not taken is no message to whoever has read its begin.
        input.write(serializeMessage(message), (error) =>
          error ? reject(new McpConnectionError(BROKEN_PIPE, { cause: error, isUnsent: true })) : resolve(),
        );
      });
    },

    close() {
      closing ??= end();
      return closing;
    },
  };

  function receive(chunk: Buffer): void {
    if (closing !== null || !isWithin(traffic.bytes(chunk.length))) return;
    if (!buffer.push(chunk)) cutOff(TOO_LARGE);
  }

  /** What comes after the connection was cut off is dropped. */
  function isWithin(excess: string | null): boolean {
    if (excess !== null) cutOff(excess);
    return closing === null;
  }

  function cutOff(why: string): void {
    isCutOff ||= reason === null;
    reason ??= why;
    // It is not going to listen to a polite request while it writes.
    if (child !== null) signalGroup(child, 'SIGKILL');
    void transport.close();
  }

  /** The end of output comes just before the exit that explains it. */
  async function outputEnded(): Promise<void> {
    await within(LAST_OUTPUT_MS, exited.promise);
    reason ??= 'the server closed its output';
    transport.onclose?.();
    // A server that lives on without output is of no use.
    await transport.close();
  }

  async function end(): Promise<void> {
    const server = child;
    if (server === null) return;
    server.stdin?.end();
    if (!(await within(END_OF_INPUT_GRACE_MS, exited.promise))) {
      signalGroup(server, 'SIGTERM');
      if (!(await within(TERM_GRACE_MS, exited.promise))) signalGroup(server, 'SIGKILL');
    }
    await exited.promise;
    await endMarked(mark);
    server.stdout?.destroy();
    server.stderr?.destroy();
  }

  return transport;
}

/** Signals the server and everything it started that stayed in its group. */
function signalGroup(server: ChildProcess, signal: NodeJS.Signals): void {
  if (server.pid === undefined) return;
  try {
    process.kill(-server.pid, signal);
  } catch {
    // No such group any more, or a system without groups.
    server.kill(signal);
  }
}
