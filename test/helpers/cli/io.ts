import { PassThrough, Readable, Writable } from 'node:stream';
import { type AlertIo, runAlertCommand } from '../../../src/cli/alert.ts';
import type { WatchLimits } from '../../../src/cli/watch.ts';
import type { TestServer } from './server.ts';

const LIMITS: WatchLimits = { giveUpAfterMs: 60_000, backoffMs: 1, maxBackoffMs: 20, probeMs: 10_000 };

/** A stream that stores its input and lets a test wait for a text. */
export interface Captured extends Writable {
  isTTY?: boolean;
  text(): string;
  /** Resolves once the text has been written. */
  until(text: string): Promise<void>;
}

export function capture(isTTY = false): Captured {
  let written = '';
  const waiting: { text: string; resolve: () => void }[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(piece: string, _encoding, done) {
      written += piece;
      for (const { text, resolve } of waiting) if (written.includes(text)) resolve();
      done();
    },
  });
  return Object.assign(stream, {
    isTTY,
    text: () => written,
    until(text: string) {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (written.includes(text)) resolve();
      else waiting.push({ text, resolve });
      return promise;
    },
  });
}

/** Starts the command against a server. `stdin` is a terminal unless a text is given. */
export function startAlert(
  server: Pick<TestServer, 'url'>,
  argv: readonly string[],
  options: {
    stdin?: string | Buffer;
    isTTY?: boolean;
    env?: AlertIo['env'];
    limits?: Partial<WatchLimits>;
  } = {},
) {
  const stdin: AlertIo['stdin'] =
    options.stdin === undefined
      ? Object.assign(new PassThrough(), { isTTY: true })
      : Readable.from([Buffer.from(options.stdin)]);
  const stdout = capture(options.isTTY);
  const stderr = capture();
  const env = { TARSY_URL: server.url, ...options.env };
  const exit = runAlertCommand(argv, { stdin, stdout, stderr, env }, { ...LIMITS, ...options.limits });
  return { exit, stdout, stderr };
}
