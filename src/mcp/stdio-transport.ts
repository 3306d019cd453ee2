import { type ChildProcess, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { type JSONRPCMessage, serializeMessage, type Transport } from '@modelcontextprotocol/client';
import { settlesWithin } from '../common/time-limit.ts';
import { type ConnectionEnd, createEndRecord } from './connection-end.ts';
import { McpConnectionError } from './errors.ts';
import { createLastWords } from './last-words.ts';
import { createOpenRequests } from './open-requests.ts';
import { createMark, killMarked, MARK_VARIABLE } from './orphans.ts';
import { createMessageBuffer } from './server-output.ts';
import { MAX_MESSAGE_BYTES, TOO_LARGE, type TrafficLimiter } from './traffic-limiter.ts';
import type { StdioTransportSettings } from './types.ts';

/** Time that a server has to exit after its input ends (ms). Most servers need a few milliseconds. */
const END_OF_INPUT_GRACE_MS = 500;
/** Time between SIGTERM and SIGKILL (ms). */
const TERM_GRACE_MS = 2_000;
/** Maximum time between exit and end of output (ms), because a descendant may hold the pipe open forever. */
const LAST_OUTPUT_MS = 250;

export interface ConnectionState {
  /** Returns how the connection ended; `null` while connected. */
  end(): ConnectionEnd | null;
  /** Waits briefly for the end after a failure, because its reason arrives shortly after the failure. */
  waitForEnd(): Promise<void>;
  /** Returns what the server's program wrote about its end, as a suffix for a reason; '' if nothing. Untrusted. */
  lastWords(): string;
}

/**
 * Runs a server as a child process in its own process group. Used instead of the SDK's transport, because that leaves
 * behind processes that ignore SIGTERM or that a wrapper such as npx started.
 */
export function createStdioTransport(
  settings: StdioTransportSettings,
  onStderr: (line: string) => void,
  traffic: TrafficLimiter,
): Transport & ConnectionState {
  const mark = createMark();
  const requests = createOpenRequests(() => {});
  const words = createLastWords();
  const buffer = createMessageBuffer(MAX_MESSAGE_BYTES, {
    awaited: requests.awaited,
    onMessage(message) {
      requests.onReceived(message);
      if (isWithin(traffic.message(message))) transport.onmessage?.(message);
    },
    onNoise(error, line) {
      words.add(line);
      if (isWithin(traffic.noise())) transport.onerror?.(error);
    },
  });
  const exited = Promise.withResolvers<void>();
  const stderrClosed = Promise.withResolvers<void>();
  let child: ChildProcess | null = null;
  const { end, record } = createEndRecord();
  let closing: Promise<void> | null = null;

  const transport: Transport & ConnectionState = {
    end,
    async waitForEnd() {
      await settlesWithin(LAST_OUTPUT_MS, Promise.all([exited.promise, stderrClosed.promise]));
    },
    lastWords: words.text,

    start() {
      const started = Promise.withResolvers<void>();
      // Passes only the variables that every program needs. The server's settings may add others.
      const { PATH, HOME, LANG, TMPDIR } = process.env;
      const server = spawn(settings.command, settings.args ?? [], {
        cwd: settings.cwd,
        env: { PATH, HOME, LANG, TMPDIR, ...settings.env, [MARK_VARIABLE]: mark },
        stdio: 'pipe',
        detached: true,
      });
      child = server;
      server.once('spawn', () => started.resolve());
      server.once('error', (error) => {
        // Without a pid no process was started, and no exit event follows.
        if (server.pid !== undefined) return;
        const code = 'code' in error ? String(error.code) : error.message;
        const reason = `the server's command could not be started (${code}: ${settings.command})`;
        record({ reason, byClient: false });
        exited.resolve();
        stderrClosed.resolve();
        started.reject(new McpConnectionError(reason, { cause: error }));
      });
      server.once('exit', (code, signal) => {
        const reason =
          code === null ? `the server was ended by ${signal}` : `the server exited with code ${code}`;
        record({ reason, byClient: false });
        signalGroup(server, 'SIGKILL');
        exited.resolve();
        const cut = setTimeout(() => server.stdout.destroy(), LAST_OUTPUT_MS);
        server.once('close', () => clearTimeout(cut));
      });
      server.stdout.once('close', () => void outputEnded());
      server.stdin.on('error', (error) => transport.onerror?.(error));
      server.stdout.on('error', (error) => transport.onerror?.(error));
      server.stdout.on('data', receive);
      server.stderr.once('close', () => stderrClosed.resolve());
      words.read(server.stderr, onStderr);
      return started.promise;
    },

    async send(message: JSONRPCMessage) {
      const input = child?.stdin;
      if (!input || end() !== null || closing !== null) {
        throw new McpConnectionError(end()?.reason ?? 'the connection is closed', { neverSent: true });
      }
      requests.onSent(message);
      const write = promisify<string, void>(input.write.bind(input));
      await write(serializeMessage(message)).catch((cause: unknown) => {
        // The message counts as never sent, because the server received at most an incomplete line.
        throw new McpConnectionError('the server closed its input', { cause, neverSent: true });
      });
    },

    close() {
      closing ??= endProcess();
      return closing;
    },
  };

  function receive(chunk: Buffer): void {
    if (!isWithin(traffic.bytes(chunk.length))) return;
    if (!buffer.push(chunk)) disconnect(TOO_LARGE);
  }

  function isWithin(excess: string | null): boolean {
    if (excess !== null) disconnect(excess);
    return closing === null;
  }

  function disconnect(reason: string): void {
    record({ reason, byClient: true });
    // Kills at once, because a server that is busy writing does not notice the end of its input.
    if (child !== null) signalGroup(child, 'SIGKILL');
    void transport.close();
  }

  /** Ends the connection after the end of output. Waits for the exit first, because the exit code explains the end. */
  async function outputEnded(): Promise<void> {
    await settlesWithin(LAST_OUTPUT_MS, exited.promise);
    record({ reason: 'the server closed its output', byClient: false });
    transport.onclose?.();
    // A server without output is useless even if it still runs.
    await transport.close();
  }

  async function endProcess(): Promise<void> {
    const server = child;
    if (server === null) return;
    server.stdin?.end();
    if (!(await settlesWithin(END_OF_INPUT_GRACE_MS, exited.promise))) {
      signalGroup(server, 'SIGTERM');
      if (!(await settlesWithin(TERM_GRACE_MS, exited.promise))) signalGroup(server, 'SIGKILL');
    }
    await exited.promise;
    await killMarked(mark);
    server.stdout?.destroy();
    server.stderr?.destroy();
  }

  return transport;
}

/** Signals the server and its descendants in the same process group. */
function signalGroup(server: ChildProcess, signal: NodeJS.Signals): void {
  if (server.pid === undefined) return;
  try {
    process.kill(-server.pid, signal);
  } catch {
    // Signals the server alone, because its group is gone or the system has no process groups.
    server.kill(signal);
  }
}
